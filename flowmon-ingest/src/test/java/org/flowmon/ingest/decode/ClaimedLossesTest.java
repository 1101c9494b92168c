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

/** Bounds on the losses that forgeable sequence numbers may claim, with the default limits. */
class ClaimedLossesTest {
  private static final long SEED = 20261124;
  private static final long SECONDS = 1_750_000_000L;
  private static final long SECOND = 1_000_000;
  private static final int FLOWS = 10;
  // By docs/format/exports.md, at most eight times the received units are believed.
  private static final int BELIEVED = 8;

  private final IngestCounters counters = new IngestCounters();
  private final ExportDecoder decoder =
      new ExportDecoder(
          counters, new BadDatagramSamples(1), ProtectedNetworks.NONE, DecoderLimits.defaults());
  private final FlowBatchBuilder builder = new FlowBatchBuilder(1000);
  private final IpAddress good = IpAddress.parse("192.0.2.1");
  private long arrival = SECONDS * SECOND;
  private long sequence;

  private final FlowSink nowhere =
      new FlowSink() {
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
      };

  private void decode(byte[] datagram, IpAddress exporter, int port) {
    decoder.decode(datagram, 0, datagram.length, exporter, port, arrival, nowhere);
  }

  private void v5(IpAddress exporter, int port, long number) {
    ExportBytes bytes = new ExportBytes().u16(5).u16(FLOWS).u32(1000).u32(SECONDS).u32(0);
    bytes.u32(number).u32(0).bytes(new byte[FLOWS * 48]);
    decode(bytes.toBytes(), exporter, port);
  }

  private void ipfix(IpAddress exporter, int port, long number) {
    ExportBytes sets = new ExportBytes().set(2, ExportBytes.template(256, 8, 4, 12, 4, 1, 4));
    sets.set(256, new byte[FLOWS * 12]);
    decode(ExportBytes.ipfix(SECONDS, number, 1, sets.toBytes()), exporter, port);
  }

  /** v9's numbers count datagrams. */
  private void v9(IpAddress exporter, int port, long number) {
    ExportBytes sets = new ExportBytes().set(0, ExportBytes.template(256, 8, 4, 12, 4, 1, 4));
    sets.set(256, new byte[FLOWS * 12]);
    byte[] bytes = sets.toBytes();
    decode(ExportBytes.v9(FLOWS + 1, 1000, SECONDS, number, 1, bytes), exporter, port);
  }

  /** The good exporter sends ten datagrams a second. */
  private void sends(int seconds) {
    for (int i = 0; i < 10 * seconds; i++) {
      v5(good, 2055, sequence);
      sequence += FLOWS;
      arrival += SECOND / 10;
    }
  }

  private long lost() {
    return counters.get(IngestCounter.SEQUENCE_LOST_FLOWS)
        + counters.get(IngestCounter.SEQUENCE_LOST_DATAGRAMS);
  }

  private long unproven() {
    return counters.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS)
        + counters.get(IngestCounter.SEQUENCE_UNPROVEN_DATAGRAMS);
  }

  @Test
  void strangersJumpsAreNoLossesThatReportsShow() {
    Random random = new Random(SEED);
    for (int i = 0; i < 1000; i++) {
      IpAddress stranger = IpAddress.ofIpv4(random.nextInt());
      v5(stranger, 2055, 0);
      v5(stranger, 2055, 1 << 24);
      ipfix(stranger, 2055, 0);
      ipfix(stranger, 2055, 1 << 24);
      v9(stranger, 2055, 0);
      v9(stranger, 2055, 1 << 24);
    }
    assertEquals(0, lost(), "seed " + SEED + ": " + counters);
    long jumps = (2L << 24) - 2 * FLOWS + (1L << 24) - 1;
    assertEquals(1000 * jumps, unproven(), "seed " + SEED + ": " + counters);
  }

  @Test
  void aJumpOfAKnownExporterIsBelievedAsFarAsItCanHaveSentSoMuch() {
    sends(180);
    long jump = 1 << 23;
    v5(good, 2055, sequence + jump);
    long minute = 60L * 10 * FLOWS;
    assertTrue(lost() > 0 && lost() <= BELIEVED * minute, counters.toString());
    assertEquals(jump, lost() + unproven(), counters.toString());
    long before = lost();
    for (int i = 1; i <= 100; i++) {
      v5(good, 2055, sequence + jump + i * jump); // no time in between
    }
    assertTrue(lost() - before <= 100 * BELIEVED * FLOWS, counters.toString());
  }

  @Test
  void whoForgesAKnownAddressClaimsNoMoreThanItsTimeAllows() {
    sends(120);
    for (int second = 0; second < 600; second++) {
      sends(1);
      v5(good, 2055, sequence + (1 << 23)); // the good exporter's own next number is a restart then
    }
    long came = (120 + 600) * 10L * FLOWS + 600 * FLOWS;
    assertTrue(lost() <= BELIEVED * came, lost() + " of " + came + ": " + counters);
  }

  @Test
  void newSessionsOfAKnownAddressClaimLessThanADatagramCanInvent() {
    sends(120);
    for (int port = 3000; port < 4000; port++) {
      v5(good, port, 0);
      v5(good, port, 1 << 23);
    }
    assertTrue(lost() <= 1000L * DecoderLimits.defaults().flowsPerDatagram(), counters.toString());
  }

  @Test
  void waitingDoesNotLetASessionClaimMoreThanItSent() {
    sends(120);
    for (int day = 0; day < 3; day++) {
      for (int i = 0; i < 600; i++) {
        v5(good, 3000, sequence + (long) i * FLOWS);
        arrival += SECOND / 10;
      }
      arrival += 24 * 3600 * SECOND;
      sequence += 600 * FLOWS + (1 << 23);
      v5(good, 3000, sequence);
      sequence += FLOWS;
    }
    long came = 3 * 601L * FLOWS;
    assertTrue(lost() <= BELIEVED * (came + 60), lost() + " of " + came + ": " + counters);
  }

  @Test
  void allThatAKnownExporterLostInAnHourIsBelieved() {
    sends(600);
    arrival += 3600 * SECOND;
    sequence += 3600L * 10 * FLOWS; // it continued, and nothing of it came
    sends(1);
    assertEquals(3600L * 10 * FLOWS, lost(), counters.toString());
    assertEquals(0, unproven(), counters.toString());
  }

  @Test
  void whatAnExporterThatBecomesKnownLostBeforeIsToldThen() {
    sends(30);
    sequence += 300;
    sends(20);
    assertEquals(0, lost(), counters.toString());
    assertEquals(300, unproven(), counters.toString());
    sends(20);
    assertEquals(300, lost(), counters.toString());
    assertEquals(0, unproven(), counters.toString());
  }

  @Test
  void aLateDatagramOfAStrangerIsTakenOffWhatIsUnproven() {
    sends(30);
    v5(good, 2055, sequence + 300);
    v5(good, 2055, sequence + 100);
    assertEquals(300 - FLOWS, unproven(), counters.toString());
    sequence += 300 + FLOWS;
    sends(40);
    assertEquals(300 - FLOWS, lost(), counters.toString());
    assertEquals(0, unproven(), counters.toString());
  }
}
