package org.flowmon.jobs.lowlevel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.api.watermark.Watermark;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.runtime.tasks.mailbox.Mail;
import org.apache.flink.streaming.runtime.tasks.mailbox.TaskMailbox;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.jobs.source.PositionedBatchSerializer;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.udaf.lowlevel.FirstPanes;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

class LowLevelOperatorTest {
  private static final int KEY_GROUPS = 8;
  private static final long SECOND = TestFlow.SECOND;

  @Test
  void aWatermarkComesAfterTheGroupsOfThePanesThatItCloses() throws Exception {
    AnalysisConfig analysis = TestAnalyses.talkers("talkers", "1s", "1s", "0s", 1 << 14, 10);
    List<TestFlow> flows = TestFlow.random(11, 8_000, 4, 6_000);
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low = open(analysis)) {
      process(low, flows);
      assertEquals(List.of(), watermarks(low));
      long mark = WatermarkTime.watermark(TestFlow.START + 3 * SECOND + 1000, 0);
      low.processWatermark(mark);
      assertEquals(List.of(), watermarks(low), "a full table does not leave at once");
      runMails(low);
      assertEquals(List.of(mark), watermarks(low));
      List<Object> output = new ArrayList<>(low.getOutput());
      int at = output.indexOf(new Watermark(mark));
      assertEquals(closed(flows, analysis, mark), windows(output.subList(0, at), analysis, mark));
    }
  }

  @Test
  void batchesDrainClosedPanesToo() throws Exception {
    AnalysisConfig analysis = TestAnalyses.talkers("talkers", "1s", "1s", "0s", 1 << 14, 10);
    List<TestFlow> flows = TestFlow.random(12, 8_000, 4, 6_000);
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low = open(analysis)) {
      process(low, flows);
      long mark = WatermarkTime.watermark(TestFlow.START + 4 * SECOND, 0);
      low.processWatermark(mark);
      List<FlowBatch> more = TestFlow.batches(shifted(flows, 10 * SECOND), 100, 2);
      for (int i = 0; i < 40; i++) {
        low.processElement(new StreamRecord<>(new PositionedBatch("t:1", i, more.get(i), 0)));
      }
      assertEquals(List.of(mark), watermarks(low));
    }
  }

  @Test
  void aNewerWatermarkDoesNotOvertakeOneThatIsHeld() throws Exception {
    AnalysisConfig analysis = TestAnalyses.talkers("talkers", "1s", "1s", "0s", 1 << 14, 10);
    List<TestFlow> flows = TestFlow.random(13, 8_000, 4, 6_000);
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low = open(analysis)) {
      process(low, flows);
      long first = WatermarkTime.watermark(TestFlow.START + 2 * SECOND, 0);
      low.processWatermark(first);
      assertEquals(List.of(), watermarks(low));
      long second = WatermarkTime.watermark(TestFlow.START + 5 * SECOND, 0);
      low.processWatermark(second);
      assertEquals(List.of(first), watermarks(low), "what waited leaves before what is newer");
      List<Object> output = new ArrayList<>(low.getOutput());
      int at = output.indexOf(new Watermark(first));
      assertEquals(closed(flows, analysis, first), windows(output.subList(0, at), analysis, first));
      runMails(low);
      assertEquals(List.of(first, second), watermarks(low));
      assertEquals(
          closed(flows, analysis, second),
          windows(new ArrayList<>(low.getOutput()), analysis, second));
    }
  }

  @Test
  void everythingIsOutBeforeABarrierAndNoGroupIsInTheState() throws Exception {
    AnalysisConfig analysis = TestAnalyses.talkers("talkers", "1s", "1s", "0s", 1 << 14, 10);
    List<TestFlow> flows = TestFlow.random(14, 5_000, 4, 2_000);
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low = open(analysis)) {
      process(low, flows);
      long mark = WatermarkTime.watermark(TestFlow.START + 2 * SECOND, 0);
      low.processWatermark(mark);
      low.prepareSnapshotPreBarrier(1);
      assertEquals(List.of(mark), watermarks(low), "a held watermark goes before the barrier");
      List<Object> output = new ArrayList<>(low.getOutput());
      OperatorSubtaskState state = low.snapshot(1, 1);
      assertTrue(state.getRawOperatorState().isEmpty() && state.getRawKeyedState().isEmpty());
      assertTrue(state.getStateSize() < 2_000, "of 2,000 groups: " + state.getStateSize());
      assertEquals(output.size(), low.getOutput().size());
      assertEquals(
          closed(flows, analysis, Long.MAX_VALUE),
          windows(output, analysis, Long.MAX_VALUE),
          "open panes too");
      low.prepareSnapshotPreBarrier(2);
      assertEquals(output.size(), low.getOutput().size(), "and nothing goes twice");
    }
  }

  @Test
  void evictedGroupsAreCompletedAtTheHighLevel() throws Exception {
    AnalysisConfig analysis = TestAnalyses.talkers("talkers", "1s", "1s", "0s", 16, 10);
    List<TestFlow> flows = TestFlow.random(15, 20_000, 6, 3_000);
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low = open(analysis)) {
      process(low, flows);
      low.endInput();
      low.getOneInputOperator().finish();
      long partials = 0;
      for (Object out : low.getOutput()) {
        if (out instanceof StreamRecord<?> record
            && record.getValue() instanceof Partial.Groups groups) {
          partials += PartialGroups.open(groups.bytes()).groups();
        }
      }
      long groups =
          BruteForce.windows(flows, SECOND, SECOND, 0, 10).values().stream()
              .mapToLong(text -> Long.parseLong(text.replaceAll("(?s).* groups ([0-9]+).*", "$1")))
              .sum();
      assertTrue(
          partials > groups,
          partials + " partial states of " + groups + " groups: none was evicted");
      assertEquals(
          closed(flows, analysis, Long.MAX_VALUE),
          windows(new ArrayList<>(low.getOutput()), analysis, Long.MAX_VALUE));
    }
  }

  @Test
  void whatArrivesIsCountedByArrivalOnceAndBeforeItsWatermark() throws Exception {
    AnalysisConfig analysis = TestAnalyses.talkers("talkers", "1s", "1s", "0s", 1 << 10, 10);
    List<TestFlow> flows = TestFlow.random(16, 4_000, 4, 100);
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low = open(analysis)) {
      process(low, flows);
      low.processElement(
          new StreamRecord<>(
              new PositionedBatch("t:0", 999, TestFlow.batches(flows, 4_000, 9).get(0), 17)));
      low.processWatermark(Long.MAX_VALUE - 1);
      runMails(low);
      ArrivalCounts total = ArrivalCounts.NONE;
      for (Object out : low.getOutput()) {
        if (out instanceof StreamRecord<?> record
            && record.getValue() instanceof Partial.Counts counts) {
          total = total.plus(counts.counts());
        }
      }
      long selected = flows.stream().filter(flow -> !Boolean.TRUE.equals(flow.outgoing())).count();
      long late =
          flows.stream()
              .filter(flow -> !Boolean.TRUE.equals(flow.outgoing()))
              .filter(flow -> flow.arrival() > Math.floorDiv(flow.time(), SECOND) * SECOND + SECOND)
              .count();
      assertEquals(new ArrivalCounts(2 * selected, 2 * late, 0, 17), total, "seed 16");
      assertTrue(late > 0, "the case needs late flows");
    }
  }

  private static List<TestFlow> shifted(List<TestFlow> flows, long by) {
    return flows.stream()
        .map(
            flow ->
                new TestFlow(
                    flow.arrival() + by,
                    flow.endTime() == null ? null : flow.endTime() + by,
                    flow.source(),
                    flow.bytes(),
                    flow.outgoing()))
        .toList();
  }

  @Test
  void anAnalysisThatFailsIsStoppedAndTheOthersGoOn() throws Exception {
    AnalysisConfig talkers = TestAnalyses.talkers("talkers", "1s", "1s", "0s", 16, 10);
    LiveQuery failing = LiveQuery.of(SERVICES);
    List<TestFlow> flows = TestFlow.random(17, 4_000, 4, 300);
    List<FlowBatch> batches = TestFlow.batches(flows, 100, 1);
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low =
        open(SERVICES, talkers)) {
      for (int i = 0; i < batches.size(); i++) {
        if (i == 20) {
          low.processElement(new StreamRecord<>(new PositionedBatch("t:0", 99, broken(flows), 0)));
        }
        low.processElement(new StreamRecord<>(new PositionedBatch("t:0", i, batches.get(i), 0)));
      }
      long mark = WatermarkTime.watermark(TestFlow.START + 20 * SECOND, 0);
      low.processWatermark(mark);
      runMails(low);
      low.prepareSnapshotPreBarrier(1);
      assertEquals(List.of(mark), watermarks(low));
      List<Object> others = new ArrayList<>();
      int stopped = 0;
      for (Object out : low.getOutput()) {
        Object value = out instanceof StreamRecord<?> record ? record.getValue() : null;
        if (value instanceof Partial.Stopped of) {
          assertEquals(failing.id(), of.queryId());
          stopped++;
        } else if (value instanceof Partial.Groups groups
            && PartialGroups.open(groups.bytes()).queryId() == failing.id()) {
          assertEquals(0, stopped, "groups after the query was stopped");
        } else if (value instanceof Partial.Counts counts && counts.queryId() == failing.id()) {
          assertEquals(0, stopped, "counts after the query was stopped");
        } else {
          others.add(out);
        }
      }
      assertEquals(1, stopped);
      assertEquals(
          closed(flows, talkers, Long.MAX_VALUE), windows(others, talkers, Long.MAX_VALUE));
    }
  }

  @Test
  void whatFailsOnTheWayOutIsNoFailureOfTheAnalysis() {
    LiveQuery live = LiveQuery.of(TestAnalyses.talkers("talkers", "1s", "1s", "0s", 64, 10));
    IllegalStateException failure = new IllegalStateException("the network is gone");
    LowLevel level = new LowLevel();
    HostedQuery query =
        new HostedQuery(
            live,
            KEY_GROUPS,
            partial -> {
              throw failure;
            },
            level);
    FlowBatch flows = TestFlow.batches(TestFlow.random(18, 10, 1, 3), 10, 1).get(0);
    level.process(flows);
    query.processed(new PositionedBatch("t:0", 0, flows, 0));
    assertSame(failure, assertThrows(IllegalStateException.class, query::drainAll));
    assertFalse(query.isStopped());
  }

  @Test
  void anAnalysisThatComesIsWholeAfterAllArrivalsThatWereTaken() throws Exception {
    long ahead = 600 * SECOND; // the collector's clock leads
    long sent = TestFlow.START + SECOND;
    TestFlow leading = new TestFlow(TestFlow.START + ahead, sent, IpAddress.ofIpv4(7), 1, false);
    FlowBatch flows = FlowBatch.open(TestFlow.batch(List.of(flow(sent), leading), 1, 0, 2));
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low =
        open(TestAnalyses.talkers("talkers", "1s", "1s", "0s", 16, 10))) {
      low.processElement(
          new StreamRecord<>(
              new PositionedBatch("t:0", 0, flows, 0, false, sent, Optional.empty())));
      String text = TestAnalyses.text("new", "1s", "1s", "0s", 16, "", 10);
      ((LowLevelOperator) low.getOneInputOperator())
          .handleOperatorEvent(new AnalysesEvent(List.of(new AnalysisChange("new", 1, text))));
      assertEquals(List.of(TestFlow.START + ahead + SECOND), starts(low));
    }
  }

  @Test
  void aTimeOfAStateThatNoClockHasReachedKeepsNoAnalysisFromBeginning() throws Exception {
    AnalysisConfig talkers = TestAnalyses.talkers("talkers", "1s", "1s", "0s", 16, 10);
    AnalysisConfig more = TestAnalyses.talkers("more", "1s", "1s", "0s", 16, 10);
    long forged = Instant.parse("2100-01-01T00:00:00Z").getEpochSecond() * SECOND;
    for (long arrival : new long[] {TestFlow.START, forged}) {
      FlowBatch flows = FlowBatch.open(TestFlow.batch(List.of(flow(arrival)), 1, 0, 1));
      OperatorSubtaskState state;
      try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low = open(talkers)) {
        low.processElement(new StreamRecord<>(new PositionedBatch("t:0", 0, flows, 0)));
        low.prepareSnapshotPreBarrier(1);
        state = low.snapshot(1, 1);
      }
      try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low =
          harness(talkers, more)) {
        low.initializeState(state);
        low.open();
        low.prepareSnapshotPreBarrier(2);
        long bound = System.currentTimeMillis() * 1000 + 3 * 3600 * SECOND;
        for (long start : starts(low)) {
          assertTrue(start > TestFlow.START && start < bound, "from " + start);
        }
        assertEquals(2, starts(low).size());
      }
    }
  }

  /** An attack before the first watermark: each flow arrived in another window. */
  @Test
  void noMoreWindowsOpenUntilTheFirstWatermarkThanAreAllowedAndAllFlowsAreTold() throws Exception {
    AnalysisConfig analysis = TestAnalyses.talkers("talkers", "2s", "1s", "0s", 16, 10);
    int most = FirstPanes.MAX_WINDOWS / 2; // each pane is in two windows that no other has
    int rows = 10_000;
    int batches = most / rows + 2;
    int late = batches * rows - most;
    try (OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low = open(analysis)) {
      for (int b = 0; b < batches; b++) {
        List<TestFlow> flows = new ArrayList<>();
        for (int i = 0; i < rows; i++) {
          flows.add(flow(TestFlow.START + ((long) b * rows + i) * 60 * SECOND));
        }
        FlowBatch batch = FlowBatch.open(TestFlow.batch(flows, 1, b, (b + 1L) * rows));
        low.processElement(new StreamRecord<>(new PositionedBatch("t:0", b, batch, 1)));
      }
      low.prepareSnapshotPreBarrier(1);
      Set<Long> counted = new TreeSet<>();
      Set<Long> grouped = new TreeSet<>();
      ArrivalCounts sum = ArrivalCounts.NONE;
      for (Partial partial : low.extractOutputValues()) {
        if (partial instanceof Partial.Counts counts) {
          counted.add(counts.paneStart());
          sum = sum.plus(counts.counts());
        } else if (partial instanceof Partial.Groups groups) {
          grouped.add(PartialGroups.open(groups.bytes()).paneStart());
        }
      }
      assertEquals(most, counted.size());
      assertEquals(most, grouped.size());
      assertEquals(new ArrivalCounts((long) batches * rows, late, 0, batches), sum);
    }
  }

  private static TestFlow flow(long arrival) {
    return new TestFlow(arrival, arrival, IpAddress.ofIpv4(7), 1, false);
  }

  /** Returns the times from which on new queries are whole. */
  private static List<Long> starts(
      OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low) {
    return low.extractOutputValues().stream()
        .filter(Partial.Started.class::isInstance)
        .map(started -> ((Partial.Started) started).firstWhole())
        .toList();
  }

  private static final AnalysisConfig SERVICES =
      AnalysisConfig.parse(
          "services.yaml",
          """
          name: services
          live:
            query: SELECT service, SUM(bytes) AS bytes FROM flows WHERE outgoing GROUP BY service
            window: 1s
            slots: 16
          report:
            logic: live
          """);

  /**
   * Returns an outgoing flow with an unreadable service: its batch was overwritten after it was
   * opened.
   */
  private static FlowBatch broken(List<TestFlow> flows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, flows.get(0).arrival());
    builder.set(FlowColumn.END_TIME, flows.get(0).arrival());
    builder.set(FlowColumn.OUTGOING, 1);
    builder.setText(FlowColumn.SERVICE, "dns");
    builder.endRow();
    byte[] bytes = builder.build(9, 0, 1, 0);
    FlowBatch batch = FlowBatch.open(bytes);
    for (int at = 0; at < bytes.length - 10; at++) {
      // the offsets 0 and 3, then the text
      if (bytes[at] == 3 && new String(bytes, at + 4, 3, StandardCharsets.UTF_8).equals("dns")) {
        bytes[at + 3] = 0x7F;
        return batch;
      }
    }
    throw new AssertionError("no text in the batch");
  }

  private static OneInputStreamOperatorTestHarness<PositionedBatch, Partial> open(
      AnalysisConfig... analyses) throws Exception {
    OneInputStreamOperatorTestHarness<PositionedBatch, Partial> harness = harness(analyses);
    harness.open();
    return harness;
  }

  private static OneInputStreamOperatorTestHarness<PositionedBatch, Partial> harness(
      AnalysisConfig... analyses) throws Exception {
    OneInputStreamOperatorTestHarness<PositionedBatch, Partial> harness =
        new OneInputStreamOperatorTestHarness<>(
            new LowLevelOperatorFactory(new AnalysisSet(List.of(analyses)), KEY_GROUPS),
            new PositionedBatchSerializer());
    harness.setup(new PartialSerializer());
    return harness;
  }

  private static void process(
      OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low, List<TestFlow> flows)
      throws Exception {
    long offset = 0;
    for (FlowBatch batch : TestFlow.batches(flows, 100, 1)) {
      low.processElement(new StreamRecord<>(new PositionedBatch("t:0", offset++, batch, 0)));
    }
  }

  private static void runMails(OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low)
      throws Exception {
    TaskMailbox mailbox = low.getTaskMailbox();
    while (mailbox.hasMail()) {
      Mail mail = mailbox.take(TaskMailbox.MIN_PRIORITY);
      mail.run();
    }
  }

  private static List<Long> watermarks(
      OneInputStreamOperatorTestHarness<PositionedBatch, Partial> low) {
    return low.getOutput().stream()
        .filter(Watermark.class::isInstance)
        .map(mark -> ((Watermark) mark).getTimestamp())
        .toList();
  }

  /** Returns the windows that a watermark closes, by brute force. */
  private static Map<Long, Long> closed(List<TestFlow> flows, AnalysisConfig analysis, long mark) {
    Map<Long, Long> groups = new TreeMap<>();
    BruteForce.windows(flows, analysis.live().windowMicros(), analysis.live().slideMicros(), 0, 10)
        .forEach(
            (end, text) -> {
              if (end <= WatermarkTime.completeThrough(mark)) {
                groups.put(end, Long.parseLong(text.replaceAll("(?s).* total ([0-9]+).*", "$1")));
              }
            });
    return groups;
  }

  /**
   * Returns the totals of the windows that a watermark closes, from the low level's output alone.
   */
  private static Map<Long, Long> windows(List<Object> output, AnalysisConfig analysis, long mark) {
    LiveQuery live = LiveQuery.of(analysis);
    WindowTables tables = new WindowTables(live.id(), live.query(), live.window());
    for (Object out : output) {
      if (out instanceof StreamRecord<?> record
          && record.getValue() instanceof Partial.Groups groups) {
        assertTrue(tables.merge(PartialGroups.open(groups.bytes())));
      }
    }
    Map<Long, Long> totals = new TreeMap<>();
    tables.closeUpTo(
        WatermarkTime.completeThrough(mark),
        part ->
            totals.put(
                part.windowEnd(), part.totals().longValue(0, part.totals().column("bytes"))));
    return totals;
  }
}
