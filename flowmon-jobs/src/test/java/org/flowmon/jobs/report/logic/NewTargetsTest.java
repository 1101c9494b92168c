package org.flowmon.jobs.report.logic;

import static org.flowmon.flow.FlowColumn.ARRIVAL;
import static org.flowmon.flow.FlowColumn.DST_ADDR;
import static org.flowmon.flow.FlowColumn.DST_PORT;
import static org.flowmon.flow.FlowColumn.PROTOCOL;
import static org.flowmon.flow.FlowColumn.SRC_ADDR;
import static org.flowmon.flow.FlowColumn.TCP_FLAGS;
import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.flowmon.jobs.report.logic.TestFlows.offered;
import static org.flowmon.jobs.report.logic.TestFlows.report;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.logic.TestFlows.Flow;
import org.junit.jupiter.api.Test;

class NewTargetsTest {
  private static final long MINUTE = 60 * SECOND;
  private static final String[] COLUMNS = {
    "src_addr", "targets", "new_targets", "usual_targets", "unknown_targets", "verdict"
  };

  private static void syn(TestFlows flows, long end, String source, String target, int port) {
    flows.add(end, SRC_ADDR, source, DST_ADDR, target, DST_PORT, port, PROTOCOL, 6, TCP_FLAGS, 2);
  }

  /** Returns sources that try many targets now, some at hosts that they speak with on many days. */
  private static TestFlows flows(SplittableRandom random) {
    TestFlows flows = new TestFlows();
    for (int source = 1; source <= 12; source++) {
      String address = (source % 3 == 0 ? "2001:db8::" : "10.0.0.") + source;
      int targets = 20 + random.nextInt(60);
      for (int i = 0; i < targets; i++) {
        long end = END - 1 - random.nextLong(MINUTE);
        syn(flows, end, address, "10.1.0." + random.nextInt(30), 80 + random.nextInt(4));
      }
      int past = random.nextInt(120);
      for (int i = 0; i < past; i++) {
        long end = END - MINUTE - 1 - random.nextLong(8 * DAY);
        syn(flows, end, address, "10.1.0." + random.nextInt(20), 1 + random.nextInt(9));
      }
    }
    return flows;
  }

  /** Returns the expected report: a set for each source, window and day. */
  private static List<String> expected(TestFlows flows, int least, int usualDays, long asOf) {
    Map<String, Set<String>> live = new HashMap<>();
    Map<String, Map<String, Set<Long>>> seen = new HashMap<>();
    Map<String, Map<String, Set<Long>>> days = new HashMap<>();
    for (Flow flow : flows.all()) {
      String source = flow.text(SRC_ADDR);
      String target = flow.text(DST_ADDR);
      long before = END - flow.end();
      boolean isNow = before <= MINUTE;
      if (isNow) {
        live.computeIfAbsent(source, s -> new HashSet<>())
            .add(target + " " + flow.number(DST_PORT));
      }
      if (flow.number(ARRIVAL) > asOf || before > 7 * DAY) {
        continue;
      }
      Map<String, Map<String, Set<Long>>> to = isNow ? seen : days;
      to.computeIfAbsent(source, s -> new HashMap<>())
          .computeIfAbsent(target, t -> new HashSet<>())
          .add(isNow ? flow.number(DST_PORT) : (Long) ((before + DAY - 1) / DAY));
    }
    List<String> sources = new ArrayList<>(live.keySet());
    sources.removeIf(source -> live.get(source).size() < 10);
    sources.sort(
        Comparator.comparing((String source) -> -live.get(source).size())
            .thenComparing(IpAddress::parse));
    List<String> lines = new ArrayList<>();
    for (String source : sources) {
      int usual = 0;
      int fresh = 0;
      for (Map.Entry<String, Set<Long>> peer : seen.getOrDefault(source, Map.of()).entrySet()) {
        int known =
            days.getOrDefault(source, Map.of()).getOrDefault(peer.getKey(), Set.of()).size();
        usual += known >= usualDays ? peer.getValue().size() : 0;
        fresh += known >= usualDays ? 0 : peer.getValue().size();
      }
      int all = live.get(source).size();
      int unknown = all - usual - fresh;
      String verdict =
          fresh >= least
              ? "scan"
              : all >= least && fresh + unknown >= least ? "no_history" : "usual";
      lines.add(source + " " + all + " " + fresh + " " + usual + " " + unknown + " " + verdict);
    }
    return lines;
  }

  @Test
  void targetsAtHostsOfSeveralDaysDoNotCount() {
    AnalysisConfig analysis =
        offered("new_targets", "targets >= 100", "targets >= 10", "targets: 100", "targets: 25");
    Set<String> verdicts = new HashSet<>();
    for (long seed = 1; seed <= 20; seed++) {
      TestFlows flows = flows(new SplittableRandom(seed));
      List<String> expected = expected(flows, 25, 2, END);
      assertEquals(
          expected,
          TestFlows.lines(report(analysis, flows.window(analysis, END, END - 30 * DAY)), COLUMNS),
          "seed " + seed);
      expected.forEach(line -> verdicts.add(line.substring(line.lastIndexOf(' ') + 1)));
    }
    assertEquals(Set.of("scan", "usual"), verdicts);
  }

  @Test
  void targetsThatHistoryDoesNotSeeYetAreUnknownAndNotUsual() {
    AnalysisConfig analysis =
        offered(
            "new_targets",
            "targets >= 100",
            "targets >= 10",
            "targets: 100",
            "targets: 25",
            "delay: 0s",
            "delay: 30s");
    Set<String> verdicts = new HashSet<>();
    for (long seed = 1; seed <= 20; seed++) {
      TestFlows flows = flows(new SplittableRandom(seed));
      List<String> expected = expected(flows, 25, 2, END - 30 * SECOND);
      assertEquals(
          expected,
          TestFlows.lines(report(analysis, flows.window(analysis, END, END - 30 * DAY)), COLUMNS),
          "seed " + seed);
      expected.forEach(line -> verdicts.add(line.substring(line.lastIndexOf(' ') + 1)));
    }
    assertEquals(Set.of("scan", "no_history", "usual"), verdicts);
  }

  @Test
  void aScannerIsFoundAndAMonitorOfTheSameHostsIsNot() {
    AnalysisConfig analysis = offered("new_targets");
    TestFlows flows = new TestFlows();
    for (int host = 1; host <= 150; host++) {
      syn(flows, END - host * 1000L, "10.0.0.1", "10.2.0." + host, 22);
      syn(flows, END - host * 1000L, "10.0.0.2", "10.2.0." + host, 161);
      syn(flows, END - DAY - host, "10.0.0.2", "10.2.0." + host, 161);
      syn(flows, END - 3 * DAY - host, "10.0.0.2", "10.2.0." + host, 80);
      // A source that only scanned the same hosts yesterday does not know them.
      syn(flows, END - host * 1000L, "10.0.0.3", "10.2.0." + host, 22);
      syn(flows, END - DAY - host, "10.0.0.3", "10.2.0." + host, 22);
    }
    WindowHistory window = flows.window(analysis, END, END - 30 * DAY);
    assertEquals(
        List.of(
            "10.0.0.1 150 150 0 0 scan", "10.0.0.2 150 0 150 0 usual", "10.0.0.3 150 150 0 0 scan"),
        TestFlows.lines(report(analysis, window), COLUMNS));
    assertEquals(
        List.of("1 10.0.0.1", "3 10.0.0.3"),
        TestFlows.lines(
            report(
                offered("new_targets", "least: 0.5", "least: 0.5\n  condition: verdict = 'scan'"),
                window),
            "rank",
            "src_addr"));
    assertEquals(
        List.of("10.0.0.1 150 no_history", "10.0.0.2 150 no_history", "10.0.0.3 150 no_history"),
        TestFlows.lines(
            report(analysis, flows.window(analysis, END, END - 2 * DAY)),
            "src_addr",
            "targets",
            "verdict"),
        "two days of seven are too little to know who is usual");
    List<String> failed =
        TestFlows.lines(
            report(analysis, new WindowHistory(window.window(), Tables.failed())),
            "new_targets",
            "unknown_targets",
            "verdict");
    assertTrue(failed.stream().allMatch("null 150 no_history"::equals), failed.toString());
  }
}
