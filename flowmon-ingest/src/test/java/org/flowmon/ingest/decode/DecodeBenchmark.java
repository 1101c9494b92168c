package org.flowmon.ingest.decode;

import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/** Flows per second of one core, from datagrams to the bytes of batches of 1000 flows. */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class DecodeBenchmark {
  private static final int DATAGRAMS = 100;
  private static final int FLOWS = 30;
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");

  /** The kind of datagrams. */
  public enum Export {
    V5,
    V9,
    IPFIX,
    IPFIX_VARIABLE
  }

  @Param public Export export;

  /** Columns of users that no flow fills. */
  @Param({"0", "50"})
  public int unfilled;

  private final byte[][] datagrams = new byte[DATAGRAMS][];
  private Sink sink;
  private ExportDecoder decoder;
  private long arrival;
  private long sent;

  @Setup
  public void setUp() {
    for (int i = 0; i < unfilled; i++) {
      FlowColumn.define(FlowColumn.FIRST_OWN_ID + i, "own_" + i, ColumnType.NUMBER, "");
    }
    sink = new Sink(); // it knows the columns of its time
    Random random = new Random(20261121);
    decoder =
        new ExportDecoder(
            new IngestCounters(),
            new BadDatagramSamples(1),
            ProtectedNetworks.NONE,
            DecoderLimits.defaults());
    int[] template = {
      8, 4, 12, 4, 15, 4, 10, 4, 14, 4, 2, 4, 1, 4, 22, 4, 21, 4, 7, 2, 11, 2, 6, 1, 4, 1, 5, 1, 16,
      4, 17, 4, 9, 1, 13, 1, 61, 1
    };
    int[] variable = java.util.Arrays.copyOf(template, template.length + 2);
    variable[template.length] = 96;
    variable[template.length + 1] = 0xFFFF;
    boolean ipfix = export != Export.V9;
    byte[] definition =
        ExportBytes.template(256, export == Export.IPFIX_VARIABLE ? variable : template);
    byte[] templates = new ExportBytes().set(ipfix ? 2 : 0, definition).toBytes();
    byte[] first =
        ipfix
            ? ExportBytes.ipfix(1_750_000_000L, 0, 0, templates)
            : ExportBytes.v9(1, 3_600_000, 1_750_000_000L, 0, 0, templates);
    decoder.decode(first, 0, first.length, EXPORTER, 2055, 1, null);
    for (int i = 0; i < DATAGRAMS; i++) {
      datagrams[i] = datagram(random, i);
    }
  }

  private byte[] datagram(Random random, int number) {
    ExportBytes body = new ExportBytes();
    for (int i = 0; i < FLOWS; i++) {
      body.u32(random.nextInt()).u32(random.nextInt()).u32(0);
      int interfaceBytes = export == Export.V5 ? 2 : 4;
      body.number(3, interfaceBytes).number(4, interfaceBytes);
      body.u32(1 + random.nextInt(100)).u32(random.nextInt(1 << 20));
      body.u32(3_500_000 + random.nextInt(1000)).u32(3_550_000 + random.nextInt(1000));
      body.u16(random.nextInt(65536)).u16(443);
      if (export == Export.V5) {
        body.u8(0).u8(24).u8(6).u8(0).u16(64500).u16(64501).u8(24).u8(16).u16(0);
      } else {
        body.u8(24).u8(6).u8(0).u32(64500).u32(64501).u8(24).u8(16).u8(0);
        if (export == Export.IPFIX_VARIABLE) {
          body.u8(5).bytes(new byte[5]);
        }
      }
    }
    byte[] sets = new ExportBytes().set(256, body.toBytes()).toBytes();
    return switch (export) {
      case V5 ->
          new ExportBytes()
              .u16(5)
              .u16(FLOWS)
              .u32(3_600_000)
              .u32(1_750_000_000L)
              .u32(0)
              .u32((long) number * FLOWS)
              .u32(0)
              .bytes(body.toBytes())
              .toBytes();
      case V9 -> ExportBytes.v9(FLOWS, 3_600_000, 1_750_000_000L, number + 1, 0, sets);
      default -> ExportBytes.ipfix(1_750_000_000L, (long) number * FLOWS, 0, sets);
    };
  }

  /** Closes a batch of 1000 flows on request, like the publisher. */
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
  @OperationsPerInvocation(DATAGRAMS * FLOWS)
  public void decode(Blackhole out) {
    run(out, false);
  }

  @Benchmark
  @OperationsPerInvocation(DATAGRAMS * FLOWS)
  public void decodeAndBuildBatches(Blackhole out) {
    run(out, true);
  }

  /** Numbers go on from round to round: if they fell, the exporter would have begun anew. */
  private void number(byte[] datagram) {
    int at =
        switch (export) {
          case V5 -> 16;
          case V9 -> 12;
          default -> 8;
        };
    long number = export == Export.V9 ? sent + 1 : sent * FLOWS;
    sent++;
    for (int i = 3; i >= 0; i--, number >>>= 8) {
      datagram[at + i] = (byte) number;
    }
  }

  private void run(Blackhole out, boolean build) {
    sink.out = out;
    sink.build = build;
    for (byte[] datagram : datagrams) {
      number(datagram);
      decoder.decode(datagram, 0, datagram.length, EXPORTER, 2055, ++arrival, sink);
    }
  }

  /**
   * A short run without JMH: CPU time of a flow until it is in a batch. Arguments: the {@link
   * Export}, columns that no flow fills.
   */
  public static void main(String[] arguments) {
    DecodeBenchmark benchmark = new DecodeBenchmark();
    benchmark.export = Export.valueOf(arguments[0]);
    benchmark.unfilled = Integer.parseInt(arguments[1]);
    benchmark.setUp();
    Blackhole out =
        new Blackhole(
            "Today's password is swordfish. I understand instantiating Blackholes directly is"
                + " dangerous.");
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    for (int round = 0; round < 30; round++) {
      long start = threads.getCurrentThreadCpuTime();
      for (int i = 0; i < 200; i++) {
        benchmark.decodeAndBuildBatches(out);
      }
      long nanos = threads.getCurrentThreadCpuTime() - start;
      System.out.printf("%.1f ns/flow%n", nanos / (200.0 * DATAGRAMS * FLOWS));
    }
  }
}
