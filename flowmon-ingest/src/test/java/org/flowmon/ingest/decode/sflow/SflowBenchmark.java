package org.flowmon.ingest.decode.sflow;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.BadDatagramSamples;
import org.flowmon.ingest.decode.ExportDecoder;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.packet.PacketBytes;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Samples per second of one core: seven in a datagram, each with a header of 128 bytes (Ethernet, a
 * tag, IPv4, TCP) and a record of its VLANs, to rows or to the bytes of batches of 1000.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class SflowBenchmark {
  private static final int DATAGRAMS = 100;
  private static final int SAMPLES = 7;
  private static final int HOSTS = 500;
  private static final IpAddress SENDER = IpAddress.parse("192.0.2.1");

  private final byte[][] datagrams = new byte[DATAGRAMS][];
  private final Sink sink = new Sink();
  private ExportDecoder decoder;
  private long arrival;

  @Setup
  public void setUp() {
    Random random = new Random(20261125);
    decoder =
        new ExportDecoder(
            new IngestCounters(),
            new BadDatagramSamples(1),
            ProtectedNetworks.NONE,
            DecoderLimits.defaults());
    for (int d = 0; d < DATAGRAMS; d++) {
      byte[][] samples = new byte[SAMPLES][];
      for (int i = 0; i < SAMPLES; i++) {
        long number = (long) d * SAMPLES + i;
        samples[i] =
            SflowBytes.flow(
                number,
                1000,
                1000 * number,
                0,
                SflowBytes.header(1518, frame(random)),
                SflowBytes.framed(1001, new PacketBytes().u32(12).u32(0).u32(12).u32(0).toBytes()));
      }
      datagrams[d] = SflowBytes.datagram(d, samples);
    }
  }

  private static byte[] frame(Random random) {
    byte[] tcp = PacketBytes.tcp(1024 + random.nextInt(60_000), 443, 0x10);
    byte[] payload = java.util.Arrays.copyOf(tcp, 128 - 18 - 20);
    return new PacketBytes()
        .u16(2)
        .u32(random.nextInt(HOSTS))
        .u16(2)
        .u32(random.nextInt(HOSTS))
        .u16(0x8100)
        .tag(12, 0x0800)
        .ipv4("10.0." + random.nextInt(250) + ".7", "192.0.2." + random.nextInt(250), 6, payload)
        .toBytes();
  }

  /** Closes a batch of 1000 rows on request, like the publisher. */
  private static final class Sink implements FlowSink {
    private final FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    private Blackhole out;
    private boolean build;

    @Override
    public FlowBatchBuilder builder() {
      return builder;
    }

    @Override
    public void rowsEnded(int rows) {
      if (builder.isFull()) {
        if (build) {
          out.consume(builder.build(1, 1, 1, 0));
        }
        builder.clear();
      }
    }
  }

  @Benchmark
  @OperationsPerInvocation(DATAGRAMS * SAMPLES)
  public void decode(Blackhole out) {
    run(out, false);
  }

  @Benchmark
  @OperationsPerInvocation(DATAGRAMS * SAMPLES)
  public void decodeAndBuildBatches(Blackhole out) {
    run(out, true);
  }

  private void run(Blackhole out, boolean build) {
    sink.out = out;
    sink.build = build;
    for (byte[] datagram : datagrams) {
      decoder.decode(datagram, 0, datagram.length, SENDER, 6343, ++arrival, sink);
    }
  }
}
