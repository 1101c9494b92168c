package org.flowmon.ingest.decode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.ingest.FlowRecorder;
import org.flowmon.ingest.IngestCounter;
import org.flowmon.ingest.IngestCounters;
import org.flowmon.ingest.ProtectedNetworks;
import org.flowmon.ingest.decode.exporter.DecoderLimits;
import org.junit.jupiter.api.Test;

/** Counters since a flow's start (85, 86, 171, 172): a flow that is exported twice counts once. */
class FlowTotalsTest {
  private static final long SEED = 20261126;
  private static final IpAddress EXPORTER = IpAddress.parse("192.0.2.1");
  private static final long SECOND = 1_000_000;
  private static final int ACTIVE_TIMEOUT = 2;
  private static final int END_OF_FLOW = 3;

  private final IngestCounters counters = new IngestCounters();
  private final FlowRecorder recorder = new FlowRecorder(10);
  private ExportDecoder decoder = decoder(DecoderLimits.defaults());
  private long seconds = 1_750_000_000L;
  private long sequence;

  private ExportDecoder decoder(DecoderLimits limits) {
    return new ExportDecoder(counters, new BadDatagramSamples(1), ProtectedNetworks.NONE, limits);
  }

  @Test
  void anExportOfAFlowCountsWhatCameSinceItsLastOne() {
    template(256, 8, 4, 152, 8, 136, 1, 85, 8, 86, 4);
    flow(256, 7, 4, seconds * 1000, 8, ACTIVE_TIMEOUT, 1, 1000, 8, 10, 4);
    flow(256, 8, 4, seconds * 1000, 8, ACTIVE_TIMEOUT, 1, 5, 8, 1, 4); // another flow
    flow(256, 7, 4, seconds * 1000, 8, ACTIVE_TIMEOUT, 1, 1500, 8, 14, 4);
    flow(256, 7, 4, seconds * 1000, 8, END_OF_FLOW, 1, 1501, 8, 15, 4);
    flow(256, 7, 4, seconds * 1000 + 1, 8, END_OF_FLOW, 1, 30, 8, 3, 4); // its next start
    assertEquals(List.of(1000L, 5L, 500L, 1L, 30L), column(FlowColumn.BYTES));
    assertEquals(List.of(10L, 1L, 4L, 1L, 3L), column(FlowColumn.PACKETS));
    assertEquals(List.of(2L, 2L, 2L, 2L, 2L), column(FlowColumn.COUNT_FLAGS));
  }

  @Test
  void theOtherDirectionAndCountersAfterTheExporterAreTakenAlike() {
    byte[] fields = fields(8, 4, 152, 8, 171, 8, 172, 8);
    byte[] reverse = new ExportBytes().u16(0x8055).u16(8).u32(29305).toBytes();
    byte[] body = new ExportBytes().u16(256).u16(5).bytes(fields).bytes(reverse).toBytes();
    send(new ExportBytes().set(2, body));
    flow(256, 7, 4, seconds * 1000, 8, 100, 8, 10, 8, 900, 8);
    flow(256, 7, 4, seconds * 1000, 8, 150, 8, 12, 8, 990, 8);
    assertEquals(List.of(100L, 50L), column(FlowColumn.POST_BYTES));
    assertEquals(List.of(10L, 2L), column(FlowColumn.POST_PACKETS));
    assertEquals(List.of(900L, 90L), column(FlowColumn.REVERSE_BYTES));
  }

  @Test
  void countersOfTheIntervalAreTakenBesideTotals() {
    template(256, 8, 4, 152, 8, 1, 4, 85, 8);
    flow(256, 7, 4, seconds * 1000, 8, 40, 4, 1000, 8);
    flow(256, 7, 4, seconds * 1000, 8, 50, 4, 1050, 8);
    assertEquals(List.of(40L, 50L), column(FlowColumn.BYTES));
    assertEquals(Arrays.asList(null, null), column(FlowColumn.COUNT_FLAGS));
  }

  @Test
  void withoutAStartOnlyAnEndedFlowCounts() {
    template(256, 8, 4, 136, 1, 85, 8);
    flow(256, 7, 4, ACTIVE_TIMEOUT, 1, 1000, 8);
    flow(256, 7, 4, END_OF_FLOW, 1, 1500, 8);
    template(257, 8, 4, 85, 8);
    flow(257, 7, 4, 1000, 8);
    assertEquals(Arrays.asList(null, 1500L, null), column(FlowColumn.BYTES));
    assertEquals(2, counters.get(IngestCounter.TOTALS_DROPPED_NO_START));
  }

  @Test
  void aStartByUptimeIsThatOfTheRecordWhateverTheExportTime() {
    byte[] options =
        new ExportBytes().u16(300).u16(2).u16(1).bytes(fields(149, 4, 160, 8)).toBytes();
    byte[] init = new ExportBytes().u32(0).u64((seconds - 500) * 1000).toBytes();
    send(new ExportBytes().set(3, options).set(300, init));
    template(256, 8, 4, 22, 4, 21, 4, 85, 8);
    flow(256, 7, 4, 400_123, 4, 450_000, 4, 1000, 8);
    seconds += 61;
    flow(256, 7, 4, 400_123, 4, 510_000, 4, 1600, 8);
    assertEquals(List.of(1000L, 600L), column(FlowColumn.BYTES));
  }

  @Test
  void aLateExportIsNoPartOfTheLaterOne() {
    template(256, 8, 4, 152, 8, 85, 8);
    flow(256, 7, 4, seconds * 1000, 8, 1000, 8);
    flow(256, 7, 4, seconds * 1000, 8, 3000, 8);
    flow(256, 7, 4, seconds * 1000, 8, 2000, 8); // its bytes are in those before
    flow(256, 7, 4, seconds * 1000, 8, 3000, 8); // twice
    flow(256, 7, 4, seconds * 1000, 8, 3500, 8);
    assertEquals(Arrays.asList(1000L, 2000L, null, 0L, 500L), column(FlowColumn.BYTES));
    assertEquals(1, counters.get(IngestCounter.TOTALS_DROPPED_LATE));
  }

  /** Alike but for one part of their key, each of them has its whole total. */
  @Test
  void flowsDifferByEachPartOfTheirKey() {
    int[][] parts = {
      {8, 4}, {12, 4}, {27, 16}, {28, 16}, {7, 2}, {11, 2}, {4, 1}, {10, 4}, {58, 2}, {234, 4},
      {61, 1}, {148, 8}, {32, 2}, {139, 2}, {152, 8}
    };
    int template = 256;
    for (int[] part : parts) {
      seconds++; // no flow of one part is one of another
      boolean isStart = part[0] == 152;
      template(++template, part[0], part[1], isStart ? 10 : 152, isStart ? 4 : 8, 85, 8);
      for (int value : new int[] {1, 0, 1}) {
        ExportBytes record = new ExportBytes();
        for (int high = part[1]; high > 8; high -= 8) {
          record.u64(value);
        }
        record.number(value + (isStart ? seconds * 1000 : 0), Math.min(8, part[1]));
        record.number(isStart ? 1 : seconds * 1000, isStart ? 4 : 8).u64(1000);
        send(new ExportBytes().set(template, record.toBytes()));
        sequence++;
      }
      List<Object> bytes = column(FlowColumn.BYTES);
      assertEquals(
          List.of(1000L, 1000L, 0L),
          bytes.subList(bytes.size() - 3, bytes.size()),
          "element " + part[0]);
    }
  }

  /** As of a cache that keeps its flows for months. */
  @Test
  void aCounterOfFourBytesThatWrapsGoesOn() {
    template(256, 8, 4, 152, 8, 85, 4);
    for (long total :
        new long[] {4_000_000_000L, 100, 4_000_000_000L, 99, 98, 99, 3_000_000_000L}) {
      flow(256, 7, 4, seconds * 1000, 8, total, 4);
    }
    assertEquals(
        Arrays.asList(
            4_000_000_000L,
            (1L << 32) - 4_000_000_000L + 100,
            4_000_000_000L - 100,
            (1L << 32) - 4_000_000_000L + 99,
            null, // late
            0L,
            3_000_000_000L - 99),
        column(FlowColumn.BYTES));
  }

  /** However few flows are remembered, none counts more than it had. */
  @Test
  void aFlowThatMayHaveBeenForgottenNeverCountsTwice() {
    for (long exporterBytes : new long[] {4096, 64 << 10, 2 << 20}) {
      decoder =
          decoder(
              DecoderLimits.defaults()
                  .withBytes(4 << 20, Math.max(exporterBytes, 4096), exporterBytes));
      counters.add(
          IngestCounter.TOTALS_DROPPED_FORGOTTEN,
          -counters.get(IngestCounter.TOTALS_DROPPED_FORGOTTEN));
      recorder.clear();
      long[] counted = new long[2000];
      long[] sent = new long[counted.length];
      exportAll(counted, sent);
      long lost = 0;
      for (int i = 0; i < sent.length; i++) {
        assertTrue(counted[i] <= sent[i], "flow " + i + ": " + counted[i] + " of " + sent[i]);
        lost += sent[i] - counted[i];
      }
      String where = exporterBytes + " bytes, seed " + SEED + ": " + counters;
      // Without any room a flow counts as a whole at its end; with enough of it nothing is lost.
      assertEquals(exporterBytes == 64 << 10, lost != 0, where);
      assertEquals(
          exporterBytes < 2 << 20,
          counters.get(IngestCounter.TOTALS_DROPPED_FORGOTTEN) != 0,
          where);
      assertTrue(decoder.exporters().bytes() <= exporterBytes, where);
    }
  }

  /** Nor one whose start nobody could have meant: its time must not wrap. */
  @Test
  void aFlowWithAStartBeyondAllTimesNeverCountsTwice() {
    decoder = decoder(DecoderLimits.defaults().withBytes(4 << 20, 64 << 10, 64 << 10));
    template(256, 8, 4, 152, 8, 85, 8);
    long[] counted = new long[2000];
    for (int total = 100; total <= 200; total += 100) {
      for (int i = 0; i < counted.length; i++) {
        flow(256, i, 4, Long.MAX_VALUE / 1000, 8, total, 8);
        Object bytes = recorder.rows().get(recorder.rows().size() - 1).get(FlowColumn.BYTES);
        counted[i] += bytes == null ? 0 : (Long) bytes;
        assertTrue(counted[i] <= total, "flow " + i + ": " + counted[i] + " of " + total);
      }
    }
  }

  /** Exports each flow several times, by turns; {@code sent} gets the last total of each. */
  private void exportAll(long[] counted, long[] sent) {
    Random random = new Random(SEED);
    template(256, 8, 4, 152, 8, 136, 1, 85, 8);
    List<Integer> live = new ArrayList<>();
    int begun = 0;
    long[] starts = new long[sent.length];
    while (begun < sent.length || !live.isEmpty()) {
      if (begun < sent.length && (live.isEmpty() || random.nextInt(3) == 0)) {
        starts[begun] = seconds * 1000 - random.nextInt(60_000);
        live.add(begun++);
      }
      int flow = live.get(random.nextInt(live.size()));
      sent[flow] += random.nextInt(10_000);
      boolean ends = random.nextInt(5) == 0;
      int reason = ends ? END_OF_FLOW : random.nextBoolean() ? ACTIVE_TIMEOUT : 0;
      flow(256, flow, 4, starts[flow], 8, reason, 1, sent[flow], 8);
      Map<FlowColumn, Object> row = recorder.rows().get(recorder.rows().size() - 1);
      counted[flow] += row.get(FlowColumn.BYTES) == null ? 0 : (Long) row.get(FlowColumn.BYTES);
      if (ends) {
        live.remove((Integer) flow);
      }
      seconds += random.nextInt(4);
    }
  }

  @Test
  void anUnknownFirewallEventIsNoEndAndADeletedFlowIs() {
    template(256, 8, 4, 233, 1, 85, 4);
    flow(256, 7, 4, 1, 1, 0, 4);
    flow(256, 7, 4, 2, 1, 900, 4);
    assertNull(column(FlowColumn.BYTES).get(0));
    assertEquals(900L, column(FlowColumn.BYTES).get(1));
  }

  private static byte[] fields(int... elementsAndLengths) {
    ExportBytes fields = new ExportBytes();
    for (int value : elementsAndLengths) {
      fields.u16(value);
    }
    return fields.toBytes();
  }

  private void template(int id, int... elementsAndLengths) {
    send(new ExportBytes().set(2, ExportBytes.template(id, elementsAndLengths)));
  }

  private void flow(int template, long... valuesAndLengths) {
    ExportBytes record = new ExportBytes();
    for (int i = 0; i < valuesAndLengths.length; i += 2) {
      record.number(valuesAndLengths[i], (int) valuesAndLengths[i + 1]);
    }
    send(new ExportBytes().set(template, record.toBytes()));
    sequence++;
  }

  private void send(ExportBytes sets) {
    byte[] message = ExportBytes.ipfix(seconds, sequence, 0, sets.toBytes());
    decoder.decode(message, 0, message.length, EXPORTER, 2055, seconds * SECOND, recorder);
  }

  private List<Object> column(FlowColumn column) {
    return recorder.rows().stream().map(row -> row.get(column)).toList();
  }
}
