package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.ARRIVAL;
import static org.flowmon.flow.FlowColumn.BYTES;
import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.OUTGOING;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.jobs.report.logic.TestFlows.Flow;
import org.junit.jupiter.api.Test;

class NewTalkersTest {
  private static final long WINDOW = 300 * SECOND;

  private static void send(TestFlows flows, long end, String source, Integer outgoing) {
    flows.add(end, SRC_ADDR, source, DST_ADDR, "192.0.2.1", BYTES, 10, OUTGOING, outgoing);
  }

  /** Returns talkers of now and of the past hundred days. */
  private static TestFlows flows(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    TestFlows flows = new TestFlows();
    for (int i = 0; i < 400; i++) {
      String source = (i % 2 == 0 ? "10.0.0." : "2001:db8::") + (1 + random.nextInt(90));
      long ago =
          random.nextBoolean() ? random.nextLong(WINDOW) : random.nextLong(100) * DAY + DAY / 2;
      int direction = random.nextInt(5);
      flows.add(
          END - 1 - ago,
          SRC_ADDR,
          source,
          DST_ADDR,
          "192.0.2." + random.nextInt(9),
          BYTES,
          random.nextInt(1000),
          OUTGOING,
          direction == 0 ? null : (Integer) (direction == 1 ? 0 : 1));
    }
    return flows;
  }

  private static List<String> expected(TestFlows flows, boolean onlyNew, String otherwise) {
    Map<String, long[]> now = new TreeMap<>(); // flows, bytes
    Map<String, long[]> past = new TreeMap<>(); // flows, last end
    for (Flow flow : flows.all()) {
      if (flow.number(OUTGOING, 1) == 0) {
        continue;
      }
      String source = flow.text(SRC_ADDR);
      if (flow.end() >= END - WINDOW) {
        long[] sums = now.computeIfAbsent(source, s -> new long[2]);
        sums[0]++;
        sums[1] += flow.number(BYTES);
      } else if (flow.end() >= END - 90 * DAY) {
        long[] seen = past.computeIfAbsent(source, s -> new long[2]);
        seen[0]++;
        seen[1] = Math.max(seen[1], flow.end());
      }
    }
    return now.entrySet().stream()
        .sorted(
            Comparator.comparingLong((Map.Entry<String, long[]> e) -> -e.getValue()[1])
                .thenComparing(e -> org.flowmon.flow.IpAddress.parse(e.getKey())))
        .filter(e -> !onlyNew || !past.containsKey(e.getKey()))
        .map(
            e -> {
              long[] seen = past.get(e.getKey());
              return e.getKey()
                  + " "
                  + e.getValue()[0]
                  + " "
                  + e.getValue()[1]
                  + " "
                  + (seen == null ? "null " + otherwise : seen[0] + " known");
            })
        .toList();
  }

  private static List<String> lines(AnalysisConfig analysis, TestFlows flows, long from) {
    return TestFlows.lines(
        report(analysis, flows.window(analysis, END, from)),
        "src_addr",
        "flows",
        "bytes",
        "history_flows",
        "verdict");
  }

  @Test
  void newIsWhoSentNothingOutInNinetyDays() {
    AnalysisConfig all = offered("new_talkers", "WHERE verdict = 'new'", "");
    AnalysisConfig onlyNew = offered("new_talkers");
    for (long seed = 1; seed <= 20; seed++) {
      TestFlows flows = flows(seed);
      List<String> expected = expected(flows, false, "new");
      assertTrue(expected.stream().anyMatch(line -> line.endsWith("new")), "seed " + seed);
      assertTrue(expected.stream().anyMatch(line -> line.endsWith("known")), "seed " + seed);
      assertEquals(expected, lines(all, flows, END - 120 * DAY), "seed " + seed);
      assertEquals(
          expected(flows, true, "new"), lines(onlyNew, flows, END - 120 * DAY), "seed " + seed);
    }
  }

  @Test
  void whereHistoryHoldsLessThanIsAskedForNobodyIsNew() {
    AnalysisConfig all = offered("new_talkers", "WHERE verdict = 'new'", "");
    TestFlows flows = new TestFlows();
    send(flows, END - 1, "10.0.0.1", 1);
    send(flows, END - 1, "10.0.0.2", 1);
    send(flows, END - DAY, "10.0.0.2", 1);
    String[] columns = {"src_addr", "coverage", "verdict"};
    long half = END - 45 * DAY - WINDOW / 2;
    assertEquals(
        List.of("10.0.0.1 0.5 unseen", "10.0.0.2 0.5 known"),
        TestFlows.lines(report(all, flows.window(all, END, half)), columns));
    AnalysisConfig content = offered("new_talkers", "least: 1", "least: 0.5");
    assertEquals(
        List.of("10.0.0.1 0.5 new"),
        TestFlows.lines(report(content, flows.window(content, END, half)), columns));
    WindowHistory failed = new WindowHistory(flows.window(all, END, 0).window(), Tables.failed());
    assertEquals(
        List.of("10.0.0.1 0.0 no_history", "10.0.0.2 0.0 no_history"),
        TestFlows.lines(report(all, failed), columns));
    HistoryAnswer whole = flows.window(all, END, END - 120 * DAY).history();
    HistoryAnswer gap = TestReports.withGap(whole, END - 9 * DAY, END - 8 * DAY);
    assertEquals(
        List.of("unseen", "known"),
        TestFlows.lines(report(all, new WindowHistory(failed.window(), gap)), "verdict"));
  }

  @Test
  void whatArrivedAfterAsOfIsNotSeen() {
    AnalysisConfig analysis = offered("new_talkers");
    TestFlows flows = new TestFlows();
    send(flows, END - 1, "10.0.0.1", 1);
    flows.add(END - DAY, SRC_ADDR, "10.0.0.1", BYTES, 1, ARRIVAL, END - 10 * SECOND);
    assertEquals(List.of("10.0.0.1 1 10 null new"), lines(analysis, flows, END - 120 * DAY));
  }

  @Test
  void whatDoesNotFitTheLogicIsAnErrorOfTheAnalysis() {
    refuses(
        "expected WHERE end_time >=",
        "AND end_time >= :now - ${past} AND end_time < :now - ${window}",
        "AND end_time < :now - ${past}");
  }

  private static void refuses(String part, String... replaced) {
    AnalysisConfig analysis = offered("new_talkers", replaced);
    ConfigException e =
        assertThrows(ConfigException.class, () -> ReportLogics.of(analysis).open(analysis));
    assertTrue(e.getMessage().contains(part), e.getMessage());
  }
}
