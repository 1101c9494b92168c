package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.flowmon.ingest.decode.exporter.TemplateScope;
import org.flowmon.ingest.decode.packet.TunnelHeaders;
import org.junit.jupiter.api.Test;

class DataBeforeTemplateTest {
  private static final long SEED = 20261125;
  private static final long SECONDS = 1_750_000_000L;
  private static final long MINUTE = 60_000_000;
  private static final DecoderLimits SMALL =
      DecoderLimits.defaults().withWaiting(10_000, 4_000, 30 * MINUTE);

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(7);
  private ExportDecoder decoder = decoder(SMALL, TemplateScope.SESSION);
  private IpAddress exporter = IpAddress.parse("192.0.2.1");
  private long arrival = SECONDS * 1_000_000;
  private int port = 2055;

  private ExportDecoder decoder(DecoderLimits limits, TemplateScope scope) {
    return new ExportDecoder(
        counters,
        new BadDatagramSamples(1),
        ProtectedNetworks.NONE,
        limits,
        TunnelHeaders.INNER,
        scope);
  }

  @Test
  void dataIsDecodedWhenItsTemplateComes() {
    ipfix(0, data(256, 1, 2, 3));
    ipfix(3, data(257, 4));
    assertEquals(0, recorder.rows().size());
    arrival += MINUTE;
    ipfix(4, template(256));
    assertEquals(List.of(1L, 2L, 3L), bytes());
    assertEquals(1, counters.get(IngestCounter.SETS_DECODED_LATE));
    ipfix(4, template(257));
    assertEquals(List.of(1L, 2L, 3L, 4L), bytes());
    ipfix(4, data(256, 5));
    assertEquals(0, decoder.waitingBytes());
    assertEquals(0, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    assertEquals(0, counters.get(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE), counters.toString());
    assertEquals(0, counters.get(IngestCounter.SEQUENCE_UNPROVEN_FLOWS), counters.toString());
    assertEquals(5, counters.get(IngestCounter.FLOWS_DECODED));
  }

  @Test
  void dataOfNetflow9IsDecodedWhenItsTemplateComesFromAnyPort() {
    v9(data(256, 1, 2), 2);
    port = 2056;
    v9(template(256), 1);
    assertEquals(List.of(1L, 2L), bytes());
    assertEquals(0, counters.get(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE), counters.toString());
  }

  @Test
  void itHasTheTimesOfItsOwnDatagramButArrivesInOrder() {
    byte[] times = new ExportBytes().u16(256).u16(2).u16(22).u16(4).u16(21).u16(4).toBytes();
    byte[] record = new ExportBytes().u32(4_000).u32(5_000).toBytes();
    long sent = arrival;
    v9(new ExportBytes().set(256, record).toBytes(), 1);
    arrival += 10 * MINUTE;
    v9(new ExportBytes().set(0, times).toBytes(), 1);
    assertEquals(sent - 5_000_000, recorder.rows().get(0).get(FlowColumn.END_TIME));
    assertEquals(arrival, recorder.rows().get(0).get(FlowColumn.ARRIVAL));
    assertEquals(sent, recorder.rows().get(0).get(FlowColumn.EXPORT_TIME));
  }

  /** Of a file sets may wait for hours: their clock is compared with when their datagram came. */
  @Test
  void itsClockIsComparedWithWhenItsOwnDatagramCame() {
    decoder = decoder(SMALL.forFiles(), TemplateScope.SESSION);
    byte[] times = new ExportBytes().u16(256).u16(1).u16(153).u16(8).toBytes();
    byte[] record = new ExportBytes().u64(SECONDS * 1000 - 5_000).toBytes();
    long sent = arrival;
    ipfix(0, new ExportBytes().set(256, record).toBytes());
    arrival += 180 * MINUTE;
    ipfix(1, new ExportBytes().set(2, times).toBytes());
    assertNull(recorder.rows().get(0).get(FlowColumn.TIME_FLAGS));
    assertEquals(sent - 5_000_000, recorder.rows().get(0).get(FlowColumn.END_TIME));
    assertEquals(arrival, recorder.rows().get(0).get(FlowColumn.ARRIVAL));
    // One whose clock is off is still told: it came three hours after its export.
    ipfix(1, new ExportBytes().set(257, record).toBytes());
    times[1] = 1;
    ipfix(2, new ExportBytes().set(2, times).toBytes());
    assertEquals(16L, recorder.rows().get(1).get(FlowColumn.TIME_FLAGS));
  }

  @Test
  void dataWhoseTemplateNeverComesIsCountedOnce() {
    v9(data(256, 1, 2), 2);
    ipfix(0, data(256, 1, 2, 3));
    ipfix(3, template(300));
    arrival += 31 * MINUTE;
    ipfix(3, template(300));
    assertEquals(2, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    assertEquals(5, counters.get(IngestCounter.FLOWS_DROPPED_NO_TEMPLATE), counters.toString());
    assertEquals(0, decoder.waitingBytes());
    decoder.endInput();
    ipfix(3, template(256));
    assertEquals(2, counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE));
    assertEquals(0, recorder.rows().size());
  }

  @Test
  void whatWaitsIsBoundedForAnExporterAndForAll() {
    for (int i = 0; i < 100; i++) {
      ipfix(i, data(256, i));
      assertTrue(decoder.waitingBytes() <= 4_000, i + ": " + decoder.waitingBytes());
    }
    long dropped = counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE);
    assertTrue(dropped > 80, counters.toString());
    for (int i = 0; i < 100; i++) {
      exporter = IpAddress.ofIpv4(0x0A00_0000 + i);
      ipfix(0, data(256, i));
      assertTrue(decoder.waitingBytes() <= 10_000, i + ": " + decoder.waitingBytes());
    }
    ipfix(1, template(256));
    assertEquals(List.of(99L), bytes());
    decoder.endInput();
    assertEquals(
        200,
        counters.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE)
            + counters.get(IngestCounter.SETS_DECODED_LATE));
  }

  /** A set whose template never comes must not keep those that came and were decoded after it. */
  @Test
  void whatWasDecodedLateTakesNoMemory() {
    decoder = decoder(DecoderLimits.defaults(), TemplateScope.SESSION);
    ipfix(0, data(256, 1));
    byte[] fields = ExportBytes.template(257, 1, 4, 5000, 60_000);
    byte[] template = new ExportBytes().set(2, fields).toBytes();
    byte[] withdrawal =
        new ExportBytes().set(2, new ExportBytes().u16(257).u16(0).toBytes()).toBytes();
    byte[] large = new ExportBytes().set(257, new byte[60_004]).toBytes();
    long before = usedHeap();
    for (int i = 0; i < 1000; i++) {
      ipfix(i, large);
      ipfix(i, template);
      ipfix(i, withdrawal);
    }
    assertEquals(1000, counters.get(IngestCounter.SETS_DECODED_LATE), counters.toString());
    long more = usedHeap() - before;
    assertTrue(more < 20_000_000, more + " bytes");
  }

  private static long usedHeap() {
    System.gc();
    return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
  }

  @Test
  void aTemplateLooksOnlyAtDataThatWaitForIt() {
    decoder = decoder(DecoderLimits.defaults().forFiles(), TemplateScope.SESSION);
    for (int i = 0; i < 10_000; i++) {
      ipfix(i, data(256, i));
    }
    port = 2056;
    long before = decoder.steps();
    ipfix(0, template(256)); // of another session
    port = 2055;
    ipfix(0, template(300));
    long steps = decoder.steps() - before;
    assertTrue(steps < 20, steps + " steps");
    ipfix(0, template(256));
    assertEquals(10_000, recorder.rows().size());
  }

  @Test
  void ipfixUsesTemplatesOfAnotherPortOnlyIfAsked() {
    ipfix(0, template(256));
    port = 2056;
    ipfix(0, data(256, 1));
    assertEquals(List.of(), bytes());
    decoder = decoder(SMALL, TemplateScope.ADDRESS);
    ipfix(0, data(256, 1)); // waits
    port = 2055;
    ipfix(0, template(256));
    assertEquals(List.of(1L), bytes());
    port = 2057;
    ipfix(0, data(256, 2));
    assertEquals(List.of(1L, 2L), bytes());
    exporter = IpAddress.parse("192.0.2.9");
    ipfix(0, data(256, 3));
    assertEquals(List.of(1L, 2L), bytes());
  }

  @Test
  void templatesThatReplaceOrContradictOthersAreCounted() {
    v9(template(256), 1);
    v9(template(256), 1);
    assertEquals(0, counters.get(IngestCounter.TEMPLATES_REPLACED));
    byte[] other = new ExportBytes().set(0, ExportBytes.template(256, 2, 4)).toBytes();
    v9(other, 1);
    assertEquals(1, counters.get(IngestCounter.TEMPLATES_REPLACED));
    assertEquals(0, counters.get(IngestCounter.TEMPLATES_CONFLICTING));
    port = 2056;
    v9(template(256), 1);
    assertEquals(2, counters.get(IngestCounter.TEMPLATES_REPLACED));
    assertEquals(1, counters.get(IngestCounter.TEMPLATES_CONFLICTING));
    assertEquals(4, counters.get(IngestCounter.TEMPLATES_RECEIVED));
  }

  @Test
  void everySetIsDecodedOrCountedInAnyOrder() {
    for (int round = 0; round < 300; round++) {
      Random random = new Random(SEED + round);
      IngestCounters counted = new IngestCounters();
      FlowRecorder rows = new FlowRecorder(5);
      ExportDecoder one =
          new ExportDecoder(
              counted,
              new BadDatagramSamples(1),
              ProtectedNetworks.NONE,
              SMALL,
              TunnelHeaders.INNER,
              random.nextBoolean() ? TemplateScope.SESSION : TemplateScope.ADDRESS);
      long sent = 0;
      long now = SECONDS * 1_000_000;
      long lastArrival = 0;
      for (int i = 0; i < 200; i++) {
        now += random.nextInt(3) == 0 ? random.nextLong(5 * MINUTE) : 0;
        int id = 256 + random.nextInt(6);
        boolean isData = random.nextInt(4) != 0;
        sent += isData ? 1 : 0;
        boolean isV9 = random.nextBoolean();
        byte[] template =
            new ExportBytes().set(isV9 ? 0 : 2, ExportBytes.template(id, 1, 4)).toBytes();
        byte[] sets = isData ? data(id, i) : template;
        byte[] datagram =
            isV9
                ? ExportBytes.v9(1, 9_000, SECONDS, i, random.nextInt(2), sets)
                : ExportBytes.ipfix(SECONDS, i, random.nextInt(2), sets);
        IpAddress from = IpAddress.ofIpv4(0x0A00_0000 + random.nextInt(4));
        one.decode(datagram, 0, datagram.length, from, random.nextInt(2), now, rows);
        assertTrue(one.waitingBytes() <= 10_000);
      }
      one.endInput();
      String where = "seed " + (SEED + round) + ": " + counted;
      assertEquals(0, one.waitingBytes(), where);
      assertEquals(rows.rows().size(), counted.get(IngestCounter.FLOWS_DECODED), where);
      assertEquals(
          sent, rows.rows().size() + counted.get(IngestCounter.SETS_DROPPED_NO_TEMPLATE), where);
      for (var row : rows.rows()) {
        long arrived = (Long) row.get(FlowColumn.ARRIVAL);
        assertTrue(arrived >= lastArrival, where);
        lastArrival = arrived;
      }
    }
  }

  private List<Object> bytes() {
    return recorder.rows().stream().map(row -> row.get(FlowColumn.BYTES)).toList();
  }

  private byte[] template(int id) {
    return new ExportBytes().set(2, ExportBytes.template(id, 1, 4)).toBytes();
  }

  private static byte[] data(int id, int... values) {
    ExportBytes body = new ExportBytes();
    for (int value : values) {
      body.u32(value);
    }
    return new ExportBytes().set(id, body.toBytes()).toBytes();
  }

  private void ipfix(long sequence, byte[] sets) {
    decode(ExportBytes.ipfix(SECONDS, sequence, 0, sets));
  }

  /** Templates are written as IPFIX's. */
  private void v9(byte[] sets, int count) {
    byte[] own = sets.clone();
    if (own[0] == 0 && own[1] == 2) {
      own[1] = 0;
    }
    decode(ExportBytes.v9(count, 10_000, SECONDS, 0, 0, own));
  }

  private void decode(byte[] datagram) {
    decoder.decode(datagram, 0, datagram.length, exporter, port, arrival, recorder);
  }
}
