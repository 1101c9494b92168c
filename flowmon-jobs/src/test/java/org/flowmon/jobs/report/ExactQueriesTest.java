package org.flowmon.jobs.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.FlowWindows;
import org.flowmon.udaf.function.ErrorBound;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.window.WindowPart;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The exact query in a report, run over the archive, gives the values of the window's flows. */
class ExactQueriesTest {
  private static final String QUERY =
      "SELECT src_addr, COUNT(*) AS n, QUANTILE(QUANTILES(bytes, 0.05), 0.9) AS p90,"
          + " UPPER(p90) AS p90_high, CARDINALITY(APPROX_COUNT_DISTINCT(bytes, 7)) AS sizes FROM"
          + " flows WHERE bytes > 500 GROUP BY src_addr ORDER BY n DESC LIMIT 12";

  @TempDir Path directory;

  private static AnalysisConfig analysis(String query, String live) {
    return AnalysisConfig.parse(
        "a.yaml",
        "name: a\nlive:\n  query: " + query + "\n  " + live + "\nreport: {logic: live}\n");
  }

  private Archive archived(List<TestFlow> flows) throws Exception {
    List<FlowBatch> batches = TestFlow.batches(flows, 1000, 1);
    Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS);
    archive.commit(
        ArchiveCommit.ofRanges(
            List.of(
                new SegmentWriter().seal(archive.segmentsDirectory(), batches, Provenance.NONE)),
            List.of(
                new SourceRange(
                    "t:0",
                    0,
                    batches.size(),
                    flows.get(0).arrival(),
                    flows.get(flows.size() - 1).arrival(),
                    false)),
            "test"));
    return archive;
  }

  private static WindowResult result(AnalysisConfig analysis, WindowPart part) {
    GroupAnswer.WithBounds answer = part.answer();
    long end = part.windowEnd();
    return new WindowResult(
        "a",
        null,
        end - analysis.live().windowMicros(),
        end,
        0,
        end + analysis.live().latenessMicros(),
        end + analysis.live().latenessMicros(),
        answer.rows(),
        part.totals(),
        part.groups(),
        0,
        ArrivalCounts.NONE,
        Long.MAX_VALUE,
        answer.bounds(),
        List.of());
  }

  @Test
  void itsRowsAreThoseOfTheWindowsFlowsAndAnswersAreWithinTheBound() throws Exception {
    List<TestFlow> flows = TestFlow.random(71, 40_000, 9, 60);
    int checked = 0;
    try (Archive archive = archived(flows);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (String live :
          List.of(
              "window: 2s\n  lateness: 1s",
              "window: 3s\n  slide: 1s\n  lateness: 0s",
              "window: 2s\n  time: arrival")) {
        AnalysisConfig analysis = analysis(QUERY, live);
        WindowSpec window = LiveQuery.window(analysis);
        ExactQueries exact =
            new ExactQueries(analysis, Optional.empty(), LiveColumns.of(analysis), true);
        FlowWindows windows =
            FlowWindows.run(
                TestFlow.batches(flows, 500, 1), QueryParser.parse(QUERY), window, 16, 8);
        for (WindowPart part : windows.windows().values()) {
          WindowResult result = result(analysis, part);
          List<ReportApproximation> approximate = exact.of(result);
          assertEquals(
              List.of("p90", "sizes"),
              approximate.stream().map(ReportApproximation::column).toList());
          Map<String, NavigableMap<Long, Long>> truth =
              truth(flows, result, live.contains("arrival"));
          String at = live + ", window " + result.windowEnd();
          ResultTable shown = result.rows();
          ResultTable exactly = run(snapshot, approximate.get(0).exact());
          assertEquals(List.of("src_addr", "exact"), exactly.names());
          assertEquals(shown.rowCount(), exactly.rowCount(), at + ": of the report's rows alone");
          for (int row = 0; row < exactly.rowCount(); row++) {
            NavigableMap<Long, Long> values = truth.get(exactly.address(row, 0).toString());
            assertEquals(quantile(values, 90), exactly.longValue(row, 1), at);
          }
          ResultTable sizes = run(snapshot, approximate.get(1).exact());
          assertEquals(shown.rowCount(), sizes.rowCount(), at);
          for (int row = 0; row < sizes.rowCount(); row++) {
            assertEquals(
                truth.get(sizes.address(row, 0).toString()).size(), sizes.longValue(row, 1), at);
          }
          checkBounds(result, approximate, truth, at);
          checked += result.rows().rowCount();
        }
      }
    }
    assertTrue(checked > 200, checked + " rows");
  }

  private static ResultTable run(ArchiveSnapshot snapshot, String sql) throws Exception {
    return ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS).table();
  }

  /** Returns by source its values with the number of flows of each. */
  private static Map<String, NavigableMap<Long, Long>> truth(
      List<TestFlow> flows, WindowResult of, boolean byArrival) {
    Map<String, NavigableMap<Long, Long>> all = new TreeMap<>();
    for (TestFlow flow : flows) {
      long time = byArrival ? flow.arrival() : flow.time();
      if (flow.bytes() > 500
          && time >= of.windowStart()
          && time < of.windowEnd()
          && flow.arrival() <= of.arrivedThrough()) {
        all.computeIfAbsent(flow.source().toString(), any -> new TreeMap<>())
            .merge(flow.bytes(), 1L, Long::sum);
      }
    }
    return all;
  }

  /** Returns the value of rank ⌈share · n⌉, in percent, by counting. */
  private static long quantile(NavigableMap<Long, Long> values, int percent) {
    long n = values.values().stream().mapToLong(count -> count).sum();
    long rank = (percent * n + 99) / 100;
    long upTo = 0;
    for (Map.Entry<Long, Long> value : values.entrySet()) {
      upTo += value.getValue();
      if (upTo >= rank) {
        return value.getKey();
      }
    }
    throw new AssertionError("no rank " + rank + " of " + n);
  }

  private static void checkBounds(
      WindowResult result,
      List<ReportApproximation> approximate,
      Map<String, NavigableMap<Long, Long>> truth,
      String at) {
    ErrorBound ranks = approximate.get(0).bound();
    assertEquals("ranks", approximate.get(0).boundOf());
    ResultTable rows = result.rows();
    long most = 0;
    for (int row = 0; row < rows.rowCount(); row++) {
      NavigableMap<Long, Long> values = truth.get(rows.address(row, 0).toString());
      long n = values.values().stream().mapToLong(c -> c).sum();
      most = Math.max(most, n);
      assertEquals(n, rows.longValue(row, 1), at);
      long answer = rows.longValue(row, 2);
      long rank = (long) Math.ceil(0.9 * n);
      long below = values.headMap(answer, false).values().stream().mapToLong(c -> c).sum();
      long upTo = below + values.get(answer);
      long error = rank <= below ? below + 1 - rank : Math.max(0, rank - upTo);
      assertTrue(error <= ranks.value(), at + ": " + error + " ranks of " + ranks);
    }
    assertEquals(1, ranks.probability());
    assertTrue(ranks.value() <= 0.05 * most, at + ": " + ranks + " of " + most);
  }

  @Test
  void whatIsSpreadHasNoExactQueryAndWhatIsExactHasNothing() {
    AnalysisConfig spread = analysis(QUERY, "window: 2s\n  spread: true");
    ExactQueries exact = new ExactQueries(spread, Optional.empty(), LiveColumns.of(spread), true);
    FlowWindows windows =
        FlowWindows.run(
            TestFlow.batches(TestFlow.random(72, 500, 2, 10), 100, 1),
            QueryParser.parse(QUERY),
            LiveQuery.window(spread),
            16,
            8);
    WindowResult result = result(spread, windows.windows().values().iterator().next());
    assertEquals(2, exact.of(result).size());
    assertNull(exact.of(result).get(0).exact());
    AnalysisConfig sums =
        analysis("SELECT src_addr, SUM(bytes) AS b FROM flows GROUP BY src_addr", "window: 2s");
    assertEquals(
        List.of(), new ExactQueries(sums, Optional.empty(), LiveColumns.of(sums), true).of(result));
  }

  @Test
  void exactQueriesAreOfTheKeysThatTheReportHas() {
    AnalysisConfig analysis =
        analysis(
            "SELECT dst_port AS port, service, MEDIAN(bytes) AS m FROM flows GROUP BY port,"
                + " service",
            "window: 2s");
    ExactQueries exact =
        new ExactQueries(analysis, Optional.empty(), LiveColumns.of(analysis), true);
    ResultTable.Builder rows = new ResultTable.Builder();
    rows.column("port", ValueKind.LONG)
        .column("service", ValueKind.TEXT)
        .column("m", ValueKind.LONG);
    rows.row().set(0, 53).set(1, "dns").set(2, 1);
    rows.row().set(0, 80).set(2, 2);
    rows.row().set(0, 53).set(1, "it's").set(2, 3);
    String of = exact.of(window(rows.build())).get(0).exact();
    assertTrue(
        of.endsWith(
            " AND (dst_port IN (53, 80)) AND ((service IN ('dns', 'it''s')) OR (service IS NULL))"
                + " GROUP BY dst_port, service ORDER BY dst_port, service"),
        of);
    assertEquals(QueryParser.parse(of).toString(), of);
    ResultTable.Builder many = new ResultTable.Builder();
    many.column("port", ValueKind.LONG)
        .column("service", ValueKind.TEXT)
        .column("m", ValueKind.LONG);
    for (int port = 0; port <= ExactQueries.MAX_KEYS; port++) {
      many.row().set(0, port);
    }
    String ofMany = exact.of(window(many.build())).get(0).exact();
    assertTrue(ofMany.contains(" AND (service IS NULL) GROUP BY"), ofMany);
    assertTrue(!ofMany.contains("dst_port IN"), "too many to be named: " + ofMany);
  }

  @Test
  void exactQueriesCanBeRunWhateverKeysThereAre() {
    long ofYear0 = -62_167_219_200_000_000L;
    long ofYear10000 = 253_402_300_800_000_000L;
    Map<String, List<Value>> keys = new TreeMap<>();
    keys.put("outgoing", List.of(Value.ofBoolean(true), Value.ofBoolean(false), Value.NULL));
    keys.put(
        "bytes - packets",
        List.of(Value.ofLong(Long.MIN_VALUE), Value.ofLong(-1), Value.ofLong(Long.MAX_VALUE)));
    keys.put(
        "start_time",
        List.of(Value.ofTimestamp(ofYear0), Value.ofTimestamp(ofYear10000 - 1), Value.NULL));
    keys.put(
        "end_time - start_time",
        List.of(
            Value.ofDuration(0),
            Value.ofDuration(-1),
            Value.ofDuration(999_999_999_999_999_999L),
            Value.ofDuration(9_223_372_036_854_775_000L)));
    keys.put(
        "bytes / 3.0",
        List.of(
            Value.ofDouble(0),
            Value.ofDouble(-1e300),
            Value.ofDouble(Double.MIN_VALUE),
            Value.ofDouble(Double.MAX_VALUE)));
    keys.put(
        "src_addr",
        List.of(
            Value.ofAddress(IpAddress.parse("192.0.2.1")),
            Value.ofAddress(IpAddress.parse("::")),
            Value.ofAddress(-1, -1)));
    keys.put(
        "service",
        List.of(Value.ofText(""), Value.ofText("it's 'so'\n\"x\" -- \\ \ud83d\ude00"), Value.NULL));
    keys.forEach(
        (key, values) -> {
          assertTrue(exactFor(key, values).contains(" IN ("), key);
        });
    Map<String, List<Value>> noLiterals = new TreeMap<>();
    noLiterals.put(
        "bytes / 3.0",
        List.of(
            Value.ofDouble(Double.NaN),
            Value.ofDouble(Double.POSITIVE_INFINITY),
            Value.ofDouble(Double.NEGATIVE_INFINITY)));
    noLiterals.put(
        "start_time",
        List.of(
            Value.ofTimestamp(ofYear0 - 1),
            Value.ofTimestamp(ofYear10000),
            Value.ofTimestamp(Long.MIN_VALUE),
            Value.ofTimestamp(Long.MAX_VALUE)));
    noLiterals.put(
        "end_time - start_time",
        List.of(Value.ofDuration(Long.MAX_VALUE), Value.ofDuration(Long.MIN_VALUE)));
    noLiterals.forEach(
        (key, values) -> {
          for (Value value : values) {
            // For a key that no list can name the query has all.
            String exact = exactFor(key, List.of(keys.get(key).get(0), value));
            assertTrue(!exact.contains(" IN ("), exact);
          }
        });
  }

  /**
   * Returns the exact query of a report with these keys, after a check that it parses to itself.
   */
  private static String exactFor(String key, List<Value> values) {
    AnalysisConfig analysis =
        analysis("SELECT " + key + " AS k, MEDIAN(bytes) AS m FROM flows GROUP BY k", "window: 2s");
    ResultTable.Builder rows = new ResultTable.Builder();
    ValueKind kind = values.get(0).kind();
    rows.column("k", kind).column("m", ValueKind.LONG);
    for (Value value : values) {
      rows.row().set(1, 1);
      if (value.isNull()) {
        continue;
      }
      if (kind == ValueKind.TEXT) {
        rows.set(0, value.text());
      } else if (kind == ValueKind.ADDRESS) {
        rows.set(0, value.high(), value.low());
      } else {
        rows.set(0, value.low());
      }
    }
    String exact =
        new ExactQueries(analysis, Optional.empty(), LiveColumns.of(analysis), true)
            .of(window(rows.build()))
            .get(0)
            .exact();
    assertEquals(exact, QueryParser.parse(exact).toString());
    return exact;
  }

  private static WindowResult window(ResultTable rows) {
    ResultTable none = new ResultTable.Builder().build();
    return new WindowResult("a", 10_000_000, 12_000_000, rows, none, 0, ArrivalCounts.NONE);
  }

  @Test
  void whatIsMadeOfStatesOfResultsLeadsToTheirFlows() {
    AnalysisConfig analysis =
        analysis(
            "SELECT CHANGES(MERGE(s) FILTER (WHERE t < :now - INTERVAL '1' SECOND), MERGE(s))"
                + " AS changes, MAX(m) AS m FROM (SELECT TIME_BUCKET(end_time, INTERVAL '1'"
                + " SECOND) AS t, HEAVY_HITTERS(src_addr, bytes) AS s, MEDIAN(bytes) AS m FROM"
                + " flows GROUP BY t) AS x",
            "window: 2s\n  slide: 1s");
    ResultTable none = new ResultTable.Builder().build();
    WindowResult result =
        new WindowResult("a", 10_000_000, 12_000_000, none, none, 0, ArrivalCounts.NONE);
    List<ReportApproximation> all =
        new ExactQueries(analysis, Optional.empty(), LiveColumns.of(analysis), true).of(result);
    Map<String, String> exact =
        all.stream()
            .collect(Collectors.toMap(ReportApproximation::column, ReportApproximation::exact));
    Function<String, Boolean> begins = text -> exact.get("changes").startsWith(text);
    assertTrue(
        begins.apply(
            "SELECT TIME_BUCKET(end_time, INTERVAL '1' SECOND) AS t, src_addr,"
                + " SUM(bytes) AS exact FROM flows WHERE (arrival >= TIMESTAMP"
                + " '1969-12-31T23:00:10Z') AND (arrival <= TIMESTAMP '1970-01-01T00:00:12Z') AND"),
        exact.toString());
    assertTrue(
        exact.get("m").contains("MEDIAN(QUANTILES(bytes, 0)) AS exact FROM flows"),
        exact.toString());
    assertEquals(QueryParser.parse(exact.get("m")).toString(), exact.get("m"));
  }
}
