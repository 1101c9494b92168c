package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowSink;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.junit.jupiter.api.Test;

/** Attacks by sFlow on a decoder with its default limits. */
class HostileAgentsTest {
  private static final long SEED = 20261125;
  private static final long SECOND = 1_000_000;
  private static final DecoderLimits LIMITS = DecoderLimits.defaults();
  private static final int SAMPLES = 1000;

  private final IngestCounters counters = new IngestCounters();
  private final ExportDecoder decoder =
      new ExportDecoder(counters, new BadDatagramSamples(10), ProtectedNetworks.NONE, LIMITS);
  private final Random random = new Random(SEED);

  /** Drops the rows. */
  private static final class Nowhere implements FlowSink {
    private final FlowBatchBuilder builder = new FlowBatchBuilder(1000);

    @Override
    public FlowBatchBuilder builder() {
      return builder;
    }

    @Override
    public void rowsEnded(int rows) {
      if (builder.isFull()) {
        builder.clear();
      }
    }
  }

  private final Nowhere out = new Nowhere();

  private void decode(byte[] datagram, IpAddress sender, long arrival) {
    decoder.decode(datagram, 0, datagram.length, sender, 6343, arrival, out);
  }

  /** Samples without records, each of a random data source. */
  private byte[] manySources(int agent, int subAgent) {
    ExportBytes bytes = new ExportBytes().u32(5).u32(1).u32(agent).u32(subAgent).u32(1).u32(1);
    bytes.u32(SAMPLES);
    for (int i = 0; i < SAMPLES; i++) {
      bytes.u32(1).u32(32).u32(random.nextInt()).u32(random.nextInt() & 0xFF_FFFF).u32(1);
      bytes.u32(random.nextInt()).u32(random.nextInt()).u32(1).u32(2).u32(0);
    }
    return bytes.toBytes();
  }

  @Test
  void anAgentWithAnyNumberOfDataSourcesTakesItsShare() {
    IpAddress sender = IpAddress.parse("192.0.2.1");
    for (int i = 0; i < 50; i++) {
      decode(manySources(7, 0), sender, i * SECOND);
    }
    assertEquals(50 * SAMPLES, counters.get(IngestCounter.FLOWS_DECODED));
    assertTrue(counters.get(IngestCounter.SAMPLING_DROPPED) > 40 * SAMPLES, counters.toString());
    assertTrue(decoder.exporters().bytes() <= LIMITS.exporterBytes(), counters.toString());
  }

  @Test
  void madeUpAgentsAndSendersStayWithinTheBudgetAndLeaveAKnownOneAlone() {
    IpAddress known = IpAddress.parse("198.51.100.1");
    for (int i = 0; i < 5; i++) {
      decode(oneSample(i), known, i * 30L * SECOND);
    }
    long established = counters.get(IngestCounter.EXPORTERS_ESTABLISHED);
    assertEquals(1, established, counters.toString());
    for (int i = 0; i < 400; i++) {
      IpAddress sender = IpAddress.ofIpv4(random.nextInt());
      decode(manySources(random.nextInt(), random.nextInt()), sender, 150 * SECOND + i);
    }
    assertTrue(decoder.exporters().bytes() <= LIMITS.stateBytes(), counters.toString());
    assertEquals(1, decoder.exporters().establishedExporters());
    long lost = counters.get(IngestCounter.SEQUENCE_LOST_FLOWS);
    decode(oneSample(8), known, 180 * SECOND);
    assertEquals(lost + 3, counters.get(IngestCounter.SEQUENCE_LOST_FLOWS), counters.toString());
  }

  private static byte[] oneSample(int number) {
    ExportBytes bytes = new ExportBytes().u32(5).u32(1).u32(9).u32(0).u32(number).u32(1000);
    bytes.u32(1).u32(1).u32(32).u32(number).u32(3).u32(10).u32(10L * number).u32(0);
    return bytes.u32(1).u32(2).u32(0).toBytes();
  }
}
