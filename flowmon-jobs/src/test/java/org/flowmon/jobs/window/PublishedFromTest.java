package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;
import org.apache.flink.streaming.util.OneInputStreamOperatorTestHarness;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.MergeRun;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.merge.WindowResultSerializer;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.jobs.site.StatesRecord;
import org.flowmon.jobs.types.WatermarkTime;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** The first whole window that a site announces. */
class PublishedFromTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final long START = TestFlow.START; // a multiple of 10 s

  private static final AnalysisConfig STATES =
      AnalysisConfig.parse(
          "p.yaml",
          """
          name: p
          live:
            query: SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr
            window: 10s
          report: {logic: states}
          """);

  private static OneInputStreamOperatorTestHarness<Partial, WindowResult> site(
      Duration disorder, OperatorSubtaskState state) throws Exception {
    return site(STATES, disorder, state);
  }

  /** Returns the windows' task of a site with one analysis. */
  static OneInputStreamOperatorTestHarness<Partial, WindowResult> site(
      AnalysisConfig published, Duration disorder, OperatorSubtaskState state) throws Exception {
    OneInputStreamOperatorTestHarness<Partial, WindowResult> site =
        new OneInputStreamOperatorTestHarness<>(
            new WindowOperator(new AnalysisSet(List.of(published)), "berlin", disorder), 1, 1, 0);
    site.setup(new WindowResultSerializer());
    if (state != null) {
      site.initializeState(state);
    }
    site.open();
    return site;
  }

  /** Completes arrivals before this; returns the announced first whole windows, each time. */
  private static List<Long> wholeFrom(
      OneInputStreamOperatorTestHarness<Partial, WindowResult> site, long arrival)
      throws Exception {
    site.processWatermark(WatermarkTime.watermark(arrival, 0));
    List<Long> from = new ArrayList<>();
    for (var record : site.getSideOutput(WindowOperator.STATES)) {
      StatesRecord said = record.getValue();
      if (StatesMessage.open(said.bytes()) instanceof StatesMessage.Progress progress) {
        progress.published().forEach(one -> from.add(one.wholeFrom()));
      }
    }
    site.getSideOutput(WindowOperator.STATES).clear();
    return from;
  }

  @Test
  void aSiteThatBeginsInTheMidstOfFlowsIsWholeFromTheFirstWindowThatBeganLater() throws Exception {
    long whole = START + 10 * SECOND;
    OperatorSubtaskState state;
    try (var site = site(Duration.ofSeconds(1), null)) {
      assertEquals(List.of(whole, whole), wholeFrom(site, START + 7 * SECOND));
      assertEquals(List.of(whole), wholeFrom(site, START + 28 * SECOND), "it stays so");
      state = site.snapshot(1, 1);
    }
    try (var site = site(Duration.ofSeconds(1), state)) {
      assertEquals(List.of(whole, whole), wholeFrom(site, START + 47 * SECOND), "from its state");
    }
    try (var site = site(Duration.ofSeconds(1), null)) {
      whole = START + 20 * SECOND; // flows of START + 10 s may have come before
      assertEquals(List.of(whole, whole), wholeFrom(site, START + 9 * SECOND));
    }
  }

  @Test
  void aSiteThatBeginsWithTheFirstFlowIsWholeFromTheBeginning() throws Exception {
    try (var site = site(null, null)) {
      long min = Long.MIN_VALUE;
      assertEquals(List.of(min, min), wholeFrom(site, START + 7 * SECOND));
    }
  }

  private static final LiveQuery LIVE = LiveQuery.of(STATES);

  /** Returns a window of 10 s with a flow right before its end, as the merge sends it. */
  private static Partial.Part window(long end) {
    WindowTables tables = new WindowTables(LIVE.id(), LIVE.query(), LIVE.window());
    TestFlow flow = new TestFlow(end - 1, end - 1, IpAddress.ofIpv4(1), 10, null);
    for (Partial partial : new MergeRun(List.of(STATES)).lowLevel(List.of(flow))) {
      assertTrue(tables.merge(PartialGroups.open(((Partial.Groups) partial).bytes())));
    }
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(Long.MAX_VALUE, parts::add);
    return new Partial.Part(LIVE.id(), parts.get(0).toBytes());
  }

  @Test
  void windowsThatMayLackFlowsAreNotPublished() throws Exception {
    try (var site = site(Duration.ofSeconds(1), null)) {
      for (int i = 1; i <= 3; i++) {
        site.processElement(new StreamRecord<>(window(START + i * 10L * SECOND)));
      }
      for (int second : new int[] {7, 15, 25, 35}) {
        site.processWatermark(WatermarkTime.watermark(START + second * SECOND, 0));
      }
      List<Long> ends = new ArrayList<>();
      for (var record : site.getSideOutput(WindowOperator.STATES)) {
        if (StatesMessage.open(record.getValue().bytes()) instanceof StatesMessage.Part part) {
          ends.add(part.windowEnd());
        }
      }
      assertEquals(List.of(START + 20 * SECOND, START + 30 * SECOND), ends);
    }
  }

  @Test
  void anAnalysisThatComesIsPublishedOnceAllTasksHaveSaidWhereItBegins() throws Exception {
    String text =
        """
        name: later
        live: {query: "SELECT dst_addr, SUM(bytes) AS b FROM flows GROUP BY dst_addr", window: 10s}
        report: {logic: states}
        """;
    LiveQuery later = LiveQuery.of(AnalysisConfig.parse("later.yaml", text));
    long min = Long.MIN_VALUE;
    try (var site = site(null, null)) {
      wholeFrom(site, START + 7 * SECOND);
      site.processElement(
          new StreamRecord<>(new Partial.Definition(0, new AnalysisChange("later", 1, text))));
      site.processElement(
          new StreamRecord<>(new Partial.Started(0, later.id(), 1, 0, 2, START + 10 * SECOND)));
      assertEquals(List.of(min), wholeFrom(site, START + 9 * SECOND), "one of two tasks");
      site.processElement(
          new StreamRecord<>(new Partial.Started(0, later.id(), 1, 1, 2, START + 20 * SECOND)));
      List<Long> both = wholeFrom(site, START + 11 * SECOND);
      Collections.sort(both);
      assertEquals(List.of(min, START + 20 * SECOND), both);
    }
  }
}
