package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.MergeRun;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;

/** Live queries over the results of others: window for window, revision for revision. */
class JoinedWindowsTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final int LIMIT = 9;

  private static final String JOIN =
      """
      SELECT a.src_addr, a.bytes, b.bytes AS sent
      FROM (SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE
            GROUP BY src_addr) AS a
      LEFT JOIN (SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing
            GROUP BY src_addr) AS b ON a.src_addr = b.src_addr
      ORDER BY a.bytes DESC, a.src_addr LIMIT %d
      """
          .formatted(LIMIT);

  private static AnalysisConfig analysis(
      String name, String query, String window, String slide, String lateness, int groups) {
    return AnalysisConfig.parse(name + ".yaml", text(name, query, window, slide, lateness, groups));
  }

  private static String text(
      String name, String query, String window, String slide, String lateness, int groups) {
    return """
    name: %s
    live:
      query: |
        %s
      window: %s
      slide: %s
      lateness: %s
      slots: 16
      groups: %d
    report: {logic: live}
    """
        .formatted(name, query.strip().replace("\n", "\n    "), window, slide, lateness, groups);
  }

  private static AnalysisConfig joined(String window, String slide, String lateness) {
    return analysis("joined", JOIN, window, slide, lateness, 100_000);
  }

  /** Returns the expected join, by nested maps. */
  private static String expected(List<TestFlow> flows, long start, long end, long through) {
    Map<IpAddress, Long> in = new TreeMap<>();
    Map<IpAddress, Long> out = new TreeMap<>();
    for (TestFlow flow : flows) {
      if (flow.time() >= start && flow.time() < end && flow.arrival() <= through) {
        (Boolean.TRUE.equals(flow.outgoing()) ? out : in)
            .merge(flow.source(), flow.bytes(), Long::sum);
      }
    }
    List<Map.Entry<IpAddress, Long>> rows = new ArrayList<>(in.entrySet());
    rows.sort(Map.Entry.<IpAddress, Long>comparingByValue(Comparator.reverseOrder()));
    StringBuilder text = new StringBuilder();
    rows.stream()
        .limit(LIMIT)
        .forEach(
            row ->
                text.append(row.getKey())
                    .append(' ')
                    .append(row.getValue())
                    .append(' ')
                    .append(out.containsKey(row.getKey()) ? out.get(row.getKey()) : "-")
                    .append('\n'));
    return text.toString();
  }

  private static String described(ResultTable rows) {
    StringBuilder text = new StringBuilder();
    for (int r = 0; r < rows.rowCount(); r++) {
      text.append(rows.address(r, 0))
          .append(' ')
          .append(rows.longValue(r, 1))
          .append(' ')
          .append(rows.isNull(r, 2) ? "-" : rows.formatted(r, 2))
          .append('\n');
    }
    return text.toString();
  }

  /** Returns the ends of the windows with a flow that is not late. */
  private static SortedSet<Long> ends(List<TestFlow> flows, AnalysisConfig analysis) {
    TreeSet<Long> ends = new TreeSet<>();
    long slide = analysis.live().slideMicros();
    for (TestFlow flow : flows) {
      long first = Math.floorDiv(flow.time(), slide) * slide + slide;
      for (long end = first; end < first + analysis.live().windowMicros(); end += slide) {
        if (flow.arrival() <= end + analysis.live().latenessMicros()) {
          ends.add(end);
        }
      }
    }
    return ends;
  }

  @Test
  void everyResultIsTheJoinOfWhatHadArrivedAcrossRestartsAtOtherParallelisms() throws Exception {
    String[][] windows = {
      {"2s", "2s", "0s"}, {"3s", "1s", "1s"}, {"2s", "1s", "5s"}, {"1s", "1s", "2500ms"}
    };
    int revised = 0;
    for (int seed = 0; seed < 24; seed++) {
      Random random = new Random(seed);
      String[] of = windows[seed % windows.length];
      AnalysisConfig analysis = joined(of[0], of[1], of[2]);
      List<TestFlow> flows = TestFlow.random(seed, 1_500, 12, 40);
      // Late flows of one direction alone change one of the two queries.
      for (int i = 0; i < flows.size(); i++) {
        TestFlow flow = flows.get(i);
        if (random.nextInt(20) == 0) {
          long end = flow.arrival() - random.nextInt(6_000_000);
          flows.set(
              i, new TestFlow(flow.arrival(), end, flow.source(), flow.bytes(), seed % 2 == 0));
        }
      }
      MergeRun run = new MergeRun(List.of(analysis));
      run.describe = result -> described(result.rows());
      int steps = 1 + random.nextInt(6);
      for (int step = 0; step < steps; step++) {
        List<TestFlow> part =
            flows.subList(step * flows.size() / steps, (step + 1) * flows.size() / steps);
        boolean isLast = step == steps - 1;
        int parallelism = new int[] {1, 2, 4}[random.nextInt(3)];
        run.with(
            parallelism, part, isLast ? Long.MAX_VALUE : part.get(part.size() - 1).arrival() - 1);
      }
      String at = "seed " + seed;
      for (WindowResult result : run.all) {
        assertEquals(
            expected(flows, result.windowStart(), result.windowEnd(), result.arrivedThrough()),
            described(result.rows()),
            at + ", window " + result.windowEnd() + ", update " + result.update());
        revised += result.update() > 0 ? 1 : 0;
      }
      Map<Long, String> finals = new TreeMap<>();
      long lateness = analysis.live().latenessMicros();
      for (long end : ends(flows, analysis)) {
        finals.put(end, expected(flows, end - analysis.live().windowMicros(), end, end + lateness));
      }
      assertEquals(finals, run.results.get("joined"), at);
    }
    assertTrue(revised > 50, revised + " revisions");
  }

  @Test
  void aLateFlowOfOneQueryRevisesTheWhole() throws Exception {
    AnalysisConfig analysis = joined("2s", "2s", "5s");
    long begin = TestFlow.START - TestFlow.START % (2 * SECOND);
    long end = begin + 2 * SECOND;
    IpAddress host = IpAddress.ofIpv4(5);
    List<String> said = new ArrayList<>();
    MergeRun run = new MergeRun(List.of(analysis));
    run.describe = result -> described(result.rows());
    // Restored before each step, at another parallelism; the last two change nothing of the window.
    run.with(1, List.of(new TestFlow(begin + 1, begin + 1, host, 100, null)), end + 1000);
    TestFlow late = new TestFlow(end + SECOND, begin + 5, host, 7, true);
    run.with(4, List.of(late), end + 2 * SECOND + 1000);
    TestFlow other = new TestFlow(end + 3 * SECOND, end + 3 * SECOND, host, 1, true);
    run.with(2, List.of(other), end + 4 * SECOND + 1000);
    run.with(1, List.of(), end + 9 * SECOND);
    for (WindowResult result : run.all) {
      if (result.windowEnd() == end) {
        said.add(result.update() + ": " + described(result.rows()).strip());
      }
    }
    assertEquals(List.of("0: 0.0.0.5 100 -", "1: 0.0.0.5 100 7"), said);
    // The other flow's window has nothing of the first query: its result has no rows.
    assertTrue(
        run.all.stream()
            .anyMatch(r -> r.windowEnd() == end + 4 * SECOND && r.rows().rowCount() == 0),
        run.results.toString());
  }

  @Test
  void windowsAreThoseOfTheSameQueryOverTheirFlows() throws Exception {
    List<String> queries =
        List.of(
            "SELECT n, COUNT(*) AS sources, SUM(b) AS b FROM (SELECT src_addr, COUNT(*) AS n,"
                + " SUM(bytes) AS b FROM flows GROUP BY src_addr) AS x GROUP BY n",
            "SELECT a.n AS out, b.n AS other, a.n / (a.n + b.n) AS share FROM (SELECT COUNT(*) AS"
                + " n, 1 AS k FROM flows WHERE outgoing) AS a JOIN (SELECT COUNT(*) AS n, 1 AS k"
                + " FROM flows WHERE NOT outgoing) AS b ON a.k = b.k",
            "SELECT x.src_addr, x.bytes FROM (SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP"
                + " BY src_addr ORDER BY bytes DESC LIMIT 20) AS x WHERE x.src_addr NOT IN (SELECT"
                + " src_addr FROM flows WHERE outgoing GROUP BY src_addr)",
            "SELECT COUNT(*) AS pairs FROM (SELECT src_addr, bytes FROM flows WHERE bytes > 1000"
                + " GROUP BY src_addr, bytes) AS a JOIN (SELECT src_addr, COUNT(DISTINCT bytes) AS"
                + " d FROM flows GROUP BY src_addr HAVING d > 2) AS b ON a.src_addr = b.src_addr",
            "SELECT second < :now - INTERVAL '1' SECOND AS before, MERGE(s) AS s,"
                + " CARDINALITY(MERGE(s)) AS n FROM (SELECT TIME_BUCKET(end_time, INTERVAL '1'"
                + " SECOND) AS second, DISTINCT_SAMPLE(src_addr, bytes, 64) AS s FROM flows GROUP"
                + " BY second) AS x GROUP BY before");
    List<TestFlow> flows = TestFlow.random(61, 6_000, 12, 60);
    for (String sql : queries) {
      AnalysisConfig analysis = analysis("nested", sql, "3s", "1s", "1s", 100_000);
      MergeRun run = new MergeRun(List.of(analysis));
      run.describe = result -> result.rows().toString();
      run.with(2, flows.subList(0, 3_000), flows.get(2_999).arrival());
      run.with(4, flows.subList(3_000, 6_000), Long.MAX_VALUE);
      Map<Long, String> expected = new TreeMap<>();
      for (long end : ends(flows, analysis)) {
        List<TestFlow> of =
            flows.stream()
                .filter(f -> f.time() >= end - 3 * SECOND && f.time() < end)
                .filter(f -> f.arrival() <= end + SECOND)
                .toList();
        List<FlowBatch> batches = TestFlow.batches(of, 500, 1);
        expected.put(end, FlowQueries.run(batches, at(sql, end)).toString());
      }
      assertEquals(expected, run.results.get("nested"), "seed 61, " + sql);
    }
  }

  private static Query at(String sql, long end) {
    return QueryParser.parseQuery(sql).bind(Parameters.NONE.with("now", Value.ofTimestamp(end)));
  }

  @Test
  void whoChangedMostSinceTheSliceBeforeIsToldOfEachWindow() throws Exception {
    String sql =
        """
        SELECT CHANGES(MERGE(state) FILTER (WHERE slice < :now - INTERVAL '1' SECOND),
                       MERGE(state) FILTER (WHERE slice >= :now - INTERVAL '1' SECOND), 0.02) AS changes
        FROM (SELECT TIME_BUCKET(COALESCE(end_time, arrival), INTERVAL '1' SECOND) AS slice,
                     HEAVY_HITTERS(src_addr, bytes) AS state
              FROM flows GROUP BY slice) AS slices
        """;
    AnalysisConfig analysis = analysis("changes", sql, "2s", "1s", "1s", 100_000);
    List<TestFlow> flows = TestFlow.random(63, 8_000, 9, 50); // so few sources are exact
    MergeRun run = new MergeRun(List.of(analysis));
    run.describe = result -> result.rows().text(0, 0);
    run.with(2, flows.subList(0, 5_000), flows.get(4_999).arrival());
    run.with(4, flows.subList(5_000, 8_000), Long.MAX_VALUE);
    Map<Long, String> expected = new TreeMap<>();
    for (long end : ends(flows, analysis)) {
      expected.put(end, changes(flows, end));
    }
    assertTrue(expected.size() > 8);
    assertEquals(expected, run.results.get("changes"), "seed 63");
  }

  /** Returns the changes by 2 % from one second to the next, the largest first, by nested maps. */
  private static String changes(List<TestFlow> flows, long end) {
    Map<IpAddress, Long> before = new TreeMap<>();
    Map<IpAddress, Long> after = new TreeMap<>();
    for (TestFlow flow : flows) {
      if (flow.time() >= end - 2 * SECOND && flow.time() < end && flow.arrival() <= end + SECOND) {
        (flow.time() < end - SECOND ? before : after).merge(flow.source(), flow.bytes(), Long::sum);
      }
    }
    double larger =
        Math.max(
            before.values().stream().mapToLong(b -> b).sum(),
            after.values().stream().mapToLong(b -> b).sum());
    Map<IpAddress, Long> changed = new TreeMap<>(after);
    before.forEach((source, bytes) -> changed.merge(source, -bytes, Long::sum));
    return changed.entrySet().stream()
        .filter(change -> Math.abs(change.getValue()) >= 0.02 * larger)
        .sorted(Comparator.comparingLong(change -> -Math.abs(change.getValue())))
        .limit(20)
        .map(
            change ->
                "{\"item\":\"%s\",\"value\":%d,\"lower\":%d,\"upper\":%d}"
                    .formatted(
                        change.getKey(), change.getValue(), change.getValue(), change.getValue()))
        .collect(Collectors.joining(",", "[", "]"));
  }

  @Test
  void ofMoreGroupsThanTheAnalysisMayHoldThereIsNoRowAndTheResultSaysSo() throws Exception {
    AnalysisConfig analysis = analysis("joined", JOIN, "2s", "2s", "0s", 1000);
    List<TestFlow> flows = TestFlow.random(62, 30_000, 6, 20_000);
    MergeRun run = new MergeRun(List.of(analysis));
    run.describe = result -> described(result.rows());
    run.with(2, flows, Long.MAX_VALUE);
    assertTrue(
        run.all.stream()
            .anyMatch(r -> r.groupLevel() == WindowResult.NO_GROUPS && r.rows().rowCount() == 0),
        "some windows have more than 1000 sources");
    for (WindowResult result : run.all) {
      if (result.groupLevel() == 0) {
        assertEquals(
            expected(flows, result.windowStart(), result.windowEnd(), result.arrivedThrough()),
            described(result.rows()),
            "seed 62");
      }
    }
  }

  @Test
  void whatComesReportsWholeWindowsAndWhatGoesNothingMore() throws Exception {
    List<TestFlow> flows = TestFlow.random(63, 8_000, 16, 40);
    AnalysisConfig analysis = joined("2s", "2s", "0s");
    String text = text("joined", JOIN, "2s", "2s", "0s", 100_000);
    MergeRun run = new MergeRun(List.of());
    run.describe = result -> described(result.rows());
    run.with(2, List.of(), flows.get(1_999).arrival());
    long firstWhole = LiveQuery.window(analysis).paneStart(flows.get(1_999).arrival()) + 2 * SECOND;
    run.more = new ArrayList<>();
    for (int keyGroup = 0; keyGroup < MergeRun.KEY_GROUPS; keyGroup++) {
      run.more.add(new Partial.Definition(keyGroup, new AnalysisChange("joined", 5, text)));
    }
    for (LiveQuery live : LiveQuery.all(analysis)) {
      int keyGroup = Math.floorMod(live.id(), MergeRun.KEY_GROUPS);
      run.more.add(new Partial.Started(keyGroup, live.id(), 5, 0, 1, firstWhole));
    }
    run.with(1, List.of(), flows.get(1_999).arrival());
    run.more = List.of();
    run.asked = List.of(analysis);
    run.with(4, flows.subList(2_000, 4_000), flows.get(3_999).arrival());
    run.with(2, flows.subList(4_000, 6_000), flows.get(5_999).arrival());
    run.more = new ArrayList<>();
    for (int keyGroup = 0; keyGroup < MergeRun.KEY_GROUPS; keyGroup++) {
      run.more.add(new Partial.Definition(keyGroup, new AnalysisChange("joined", 6, null)));
    }
    run.with(1, List.of(), flows.get(5_999).arrival());
    run.more = List.of();
    run.with(2, flows.subList(6_000, 8_000), Long.MAX_VALUE);
    Map<Long, String> expected = new TreeMap<>();
    for (long end : ends(flows, analysis)) {
      if (end - 2 * SECOND >= firstWhole && end <= flows.get(5_999).arrival()) {
        expected.put(end, expected(flows, end - 2 * SECOND, end, end));
      }
    }
    assertTrue(expected.size() >= 2, expected.toString());
    assertEquals(expected, run.results.get("joined"), "seed 63");
  }

  @Test
  void theConfidenceAddsUpWhatEachQueryCountedAndLossesOnce() throws Exception {
    AnalysisConfig analysis = joined("2s", "2s", "0s");
    List<TestFlow> flows = TestFlow.random(64, 500, 4, 10);
    long pane = LiveQuery.window(analysis).paneStart(flows.get(0).arrival());
    ArrivalCounts[] counts = {
      new ArrivalCounts(10, 1, 0, 5, 2, 100), new ArrivalCounts(3, 0, 1, 5, 0, 0)
    };
    MergeRun run = new MergeRun(List.of(analysis));
    run.describe = result -> described(result.rows());
    run.more = new ArrayList<>();
    List<LiveQuery> leaves = LiveQuery.all(analysis);
    for (int i = 0; i < 2; i++) {
      int keyGroup = Math.floorMod(leaves.get(i).id(), MergeRun.KEY_GROUPS);
      run.more.add(new Partial.Counts(keyGroup, leaves.get(i).id(), pane, counts[i]));
    }
    run.with(2, flows, Long.MAX_VALUE);
    WindowResult first =
        run.all.stream().filter(r -> r.windowEnd() == pane + 2 * SECOND).findFirst().orElseThrow();
    assertEquals(new ArrivalCounts(13, 1, 1, 5, 2, 100), first.counts());
  }

  @Test
  void anAnalysisOfWhichOneQueryIsStoppedGivesNoMoreResults() throws Exception {
    AnalysisConfig analysis = joined("2s", "2s", "0s");
    AnalysisConfig other = analysis("other", JOIN, "2s", "2s", "0s", 100_000);
    List<TestFlow> flows = TestFlow.random(65, 4_000, 8, 40);
    MergeRun run = new MergeRun(List.of(analysis, other));
    run.describe = result -> described(result.rows());
    LiveQuery second = LiveQuery.all(analysis).get(1);
    run.more = List.of(new Partial.Stopped(Math.floorMod(second.id(), 16), second.id(), 0));
    run.with(2, flows.subList(0, 2_000), flows.get(1_999).arrival());
    run.more = List.of();
    run.with(4, flows.subList(2_000, 4_000), Long.MAX_VALUE);
    assertEquals(Set.of("other"), run.results.keySet());
    Map<Long, String> expected = new TreeMap<>();
    for (long end : ends(flows, other)) {
      expected.put(end, expected(flows, end - 2 * SECOND, end, end));
    }
    assertEquals(expected, run.results.get("other"), "seed 65");
  }

  @Test
  void anAnalysisWhoseJoinMakesTooManyRowsIsStoppedAndNoOtherWithIt() throws Exception {
    String all =
        "SELECT COUNT(*) AS n FROM (SELECT src_addr, 1 AS k FROM flows GROUP BY src_addr) AS a JOIN"
            + " (SELECT src_addr, 1 AS k, COUNT(*) AS n FROM flows GROUP BY src_addr) AS b ON"
            + " a.k = b.k";
    AnalysisConfig pairs = analysis("pairs", all, "2s", "2s", "0s", 100_000);
    AnalysisConfig other = joined("2s", "2s", "0s");
    List<TestFlow> flows = TestFlow.random(66, 8_000, 4, 3_000);
    MergeRun run = new MergeRun(List.of(pairs, other));
    run.describe =
        result ->
            result.analysis().equals("pairs")
                ? result.rows().formatted(0, 0)
                : described(result.rows());
    run.with(2, flows, Long.MAX_VALUE);
    Map<Long, String> few = new TreeMap<>();
    Map<Long, String> expected = new TreeMap<>();
    boolean isStopped = false;
    for (long end : ends(flows, other)) {
      expected.put(end, expected(flows, end - 2 * SECOND, end, end));
      long sources =
          flows.stream()
              .filter(f -> f.time() >= end - 2 * SECOND && f.time() < end && f.arrival() <= end)
              .map(TestFlow::source)
              .distinct()
              .count();
      isStopped |= sources * sources > 1_000_000;
      if (!isStopped) {
        few.put(end, Long.toString(sources * sources));
      }
    }
    assertTrue(isStopped && few.size() < expected.size(), "seed 66");
    assertEquals(few, run.results.getOrDefault("pairs", Map.of()), "seed 66");
    assertEquals(expected, run.results.get("joined"), "seed 66");
  }

  @Test
  void leavesHaveOtherIdsWhereSomethingOfTheWholeIsAnother() {
    List<Long> ids = LiveQuery.all(joined("2s", "2s", "0s")).stream().map(LiveQuery::id).toList();
    AnalysisConfig limited =
        analysis("joined", JOIN.replace("LIMIT 9", "LIMIT 8"), "2s", "2s", "0s", 100_000);
    assertEquals(2, ids.size());
    LiveQuery.all(limited).forEach(live -> assertTrue(!ids.contains(live.id())));
  }
}
