package org.flowmon.jobs.offered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.ReportPipeline;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.history.HistoryOperator;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.replay.Replay;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.parser.SeenCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random queries of reports give the same rows in a job that fails and restarts, in a replay, and
 * over windows and histories that are read from the archive; so does the example of the docs.
 */
class ReportQueriesTest {
  private static final long SEED = 20261126;
  private static final int QUERIES = 16;
  private static final int WINDOWS = 6;
  private static final long FIRST = ArchivedTopic.END - WINDOWS * Program.HOUR;
  private static final List<String> KEYS = List.of("src_addr", "dst_addr", "protocol", "dst_port");

  @TempDir private static Path directory;

  private static AnalysisConfig analysis(String name, String live, String history, String report) {
    return AnalysisConfig.parse(
        name + ".yaml",
        """
        name: %s
        live: {window: 1h, lateness: 1s, revisions: false, query: "%s"}
        history: {timeout: 300s, query: "%s"}
        report: {query: "%s"}
        """
            .formatted(name, live, history, report));
  }

  /** Items that ask whether the first key that is an address was seen; none without one. */
  private static String seen(List<String> keys) {
    return keys.stream()
        .filter(key -> key.endsWith("_addr"))
        .findFirst()
        .map(
            key ->
                ", SEEN(live.%1$s, INTERVAL '12' HOUR) AS seen, SEEN(live.%1$s, INTERVAL '9999' DAY) AS ever"
                    .formatted(key))
        .orElse("");
  }

  private static AnalysisConfig random(int number, SplittableRandom random) {
    List<String> keys = new ArrayList<>(KEYS);
    while (keys.size() > 1 + random.nextInt(2)) {
      keys.remove(random.nextInt(keys.size()));
    }
    String all = String.join(", ", keys);
    String first = keys.get(0);
    String live =
        "SELECT %s, SUM(bytes) AS bytes, COUNT(*) AS flows FROM flows WHERE %s IS NOT NULL GROUP BY %s ORDER BY %s DESC LIMIT %d"
            .formatted(
                all, first, all, random.nextBoolean() ? "bytes" : "flows", 1 + random.nextInt(40));
    String history =
        "SELECT %s, DAYS_BEFORE(end_time, :now) AS day, SUM(bytes) AS bytes, COUNT(*) AS flows FROM flows WHERE %s IN (:live.%s) AND SAME_HOUR(end_time, :now, 3) GROUP BY %s, day"
            .formatted(all, first, first, all);
    String measure = random.nextBoolean() ? "bytes" : "flows";
    StringBuilder on = new StringBuilder("h.day = d.day");
    keys.forEach(key -> on.append(" AND h.%1$s IS NOT DISTINCT FROM l.%1$s".formatted(key)));
    String past =
        "(SELECT l.rank, %s AS m, COUNT(h.day) AS days FROM live AS l CROSS JOIN days AS d LEFT JOIN history AS h ON %s%s GROUP BY l.rank) AS past"
            .formatted(
                List.of(
                        "MEDIAN(COALESCE(h." + measure + ", 0))",
                        "MAX(h." + measure + ")",
                        "SUM(h." + measure + ") / 3",
                        "AVG(h.flows)")
                    .get(random.nextInt(4)),
                on,
                random.nextBoolean() ? " WHERE d.inside" : "");
    String rows =
        "SELECT live.rank, live.%s, live.%s, live.%s / live.total_%s AS share, past.m, past.days, CASE WHEN past.m IS NULL THEN 'new' WHEN live.%s / :seconds > %d * past.m / 3600 THEN 'more' ELSE :history END AS verdict%s FROM live %s JOIN %s ON past.rank = live.rank"
            .formatted(
                String.join(", live.", keys),
                measure,
                measure,
                measure,
                measure,
                1 + random.nextInt(3),
                seen(keys),
                random.nextBoolean() ? "LEFT" : "",
                past);
    String report =
        switch (random.nextInt(5)) {
          case 0 -> rows;
          case 1 -> rows + " WHERE live.flows > 1 ORDER BY share DESC, live.rank LIMIT 7";
          case 2 ->
              "SELECT verdict, COUNT(*) AS n, SUM(%s) AS sum, MIN(:now) AS time FROM (%s) AS r GROUP BY verdict ORDER BY verdict"
                  .formatted(measure, rows);
          case 3 ->
              "SELECT 'top' AS part, rank, bytes, 1 AS groups FROM live WHERE rank < 4 UNION ALL"
                  + " SELECT 'other', NULL, totals.bytes - COALESCE(t.bytes, 0), :groups - t.n FROM"
                  + " totals CROSS JOIN (SELECT SUM(bytes) AS bytes, COUNT(*) AS n FROM live WHERE"
                  + " rank < 4) AS t";
          default ->
              "SELECT ROW_NUMBER() OVER () AS place, r.* FROM (%s) AS r WHERE r.verdict <> 'more' OR r.%s IN (SELECT %s FROM history)"
                  .formatted(rows, first, first);
        };
    return analysis("random_" + number, live, history, report);
  }

  private static AnalysisConfig example() throws Exception {
    String page = Files.readString(Path.of("../docs/analyses.md"));
    Matcher block = Pattern.compile("(?s)```yaml\n(name: bursts\n.*?)```").matcher(page);
    assertTrue(block.find(), "docs/analyses.md has the example");
    assertTrue(block.group(1).lines().count() <= 15, "lines of the example");
    ReportLogics.of(AnalysisConfig.parse("bursts.yaml", block.group(1)))
        .open(AnalysisConfig.parse("bursts.yaml", block.group(1)));
    // The planted hosts send less.
    String small =
        block
            .group(1)
            .replace("> 1000000", "> 0")
            .replace("> 10 *", "> 0.001 *")
            .replace("window: 1m", "window: 1h\n  lateness: 1s\n  revisions: false")
            .replace("history:\n  query", "history:\n  timeout: 300s\n  query");
    return AnalysisConfig.parse("bursts.yaml", small);
  }

  private static Map<String, Map<Long, String>> live(
      ArchivedTopic topic, List<AnalysisConfig> analyses) throws Exception {
    var windows =
        topic
            .failingWindows(2, analyses)
            .filter(w -> w.windowStart() >= FIRST && w.windowEnd() <= ArchivedTopic.END);
    var reports =
        ReportPipeline.reports(
            windows,
            new HistoryOperator.Settings(
                List.of(topic.config(2).archive()),
                analyses,
                ArchivedTopic.DELAY,
                FlowTopic.lookUp(topic.config(2).kafka()),
                ArchivedTopic.DISORDER,
                HistoryOperator.Pace.LIVE));
    Map<String, Map<Long, String>> found = new TreeMap<>();
    try (CloseableIterator<Report> all = reports.executeAndCollect()) {
      all.forEachRemaining(report -> put(found, report));
    }
    topic.requireAFailure();
    return found;
  }

  private static void put(Map<String, Map<Long, String>> found, Report report) {
    assertEquals(HistoryStatus.EXACT, report.confidence().history(), report.analysis());
    found
        .computeIfAbsent(report.analysis(), name -> new TreeMap<>())
        .put(report.windowEnd(), report.rows().toString());
  }

  private static Map<String, Map<Long, String>> replayed(
      ArchivedTopic topic, List<AnalysisConfig> analyses) throws Exception {
    Map<String, Map<Long, String>> found = new TreeMap<>();
    for (AnalysisConfig analysis : analyses) {
      ReplaySpec spec =
          new ReplaySpec(
              List.of(topic.config(1).archive()),
              analysis,
              FIRST,
              ArchivedTopic.END,
              ArchivedTopic.DELAY,
              ArchivedTopic.DISORDER);
      StreamExecutionEnvironment env = LocalFlink.environment(1);
      env.setMaxParallelism(16);
      try (CloseableIterator<Report> all = Replay.reports(env, spec, 16).executeAndCollect()) {
        all.forEachRemaining(report -> put(found, report));
      }
    }
    return found;
  }

  private static ResultTable ask(ArchiveSnapshot snapshot, FlowQuery query) throws Exception {
    return ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS).table();
  }

  /** What SEEN asks for, flow by flow; the archive holds more than the hours before the windows. */
  private static ResultTable seen(
      ArchiveSnapshot snapshot, List<SeenCall> calls, ResultTable rows, long start, long asOf)
      throws Exception {
    ResultTable.Builder found =
        new ResultTable.Builder()
            .column("call", ValueKind.LONG)
            .column("address", ValueKind.ADDRESS)
            .column("seen", ValueKind.BOOLEAN);
    for (int c = 0; c < calls.size(); c++) {
      long past = calls.get(c).pastMicros();
      for (int row = 0; row < rows.rowCount(); row++) {
        int column = calls.get(c).columns().get(0);
        if (rows.isNull(row, column)) {
          continue;
        }
        FlowQuery flows =
            QueryParser.parse(
                    "SELECT COUNT(*) AS n FROM flows WHERE (src_addr IN (:a) OR dst_addr IN (:a))"
                        + " AND arrival <= :as_of AND CASE WHEN end_time IS NULL THEN arrival WHEN"
                        + " end_time - arrival > INTERVAL '1' HOUR THEN arrival + INTERVAL '1' HOUR"
                        + " ELSE end_time END BETWEEN :first AND :last")
                .bind(
                    Parameters.NONE
                        .with("a", rows.value(row, column))
                        .with("as_of", Value.ofTimestamp(asOf))
                        .with("first", Value.ofTimestamp(start - past))
                        .with("last", Value.ofTimestamp(start - 1)));
        boolean isSeen = ask(snapshot, flows).longValue(0, 0) > 0;
        if (isSeen || past <= 12 * Program.HOUR) {
          Value address = rows.value(row, column);
          found.row().set(0, c).set(1, address.high(), address.low()).set(2, isSeen ? 1 : 0);
        }
      }
    }
    return found.build();
  }

  /** Of the window's flows by themselves, and of the flows that had arrived by as-of. */
  private static WindowHistory read(
      ArchiveSnapshot snapshot, AnalysisConfig analysis, List<SeenCall> calls, long end)
      throws Exception {
    Expression within = LiveReplayAndHistoryTest.within(end);
    FlowQuery live = QueryParser.parse(analysis.live().query());
    Expression flows = new Expression.And(List.of(live.where(), within));
    ResultTable rows = ask(snapshot, live.withWhere(flows));
    FlowQuery every =
        new FlowQuery(live.select(), flows, live.groupBy(), null, List.of(), null, -1);
    ResultTable groups = ask(snapshot, every);
    BigInteger bytes = BigInteger.ZERO;
    for (int row = 0; row < groups.rowCount(); row++) {
      bytes = bytes.add(groups.bigValue(row, groups.column("bytes")));
    }
    ResultTable totals =
        ask(
            snapshot,
            QueryParser.parse("SELECT SUM(bytes) AS bytes, COUNT(*) AS flows FROM flows")
                .withWhere(flows));
    assertEquals(bytes, totals.bigValue(0, 0));
    WindowResult window =
        new WindowResult(
            analysis.name(),
            end - Program.HOUR,
            end,
            rows,
            totals,
            groups.rowCount(),
            new ArrivalCounts(0, 0, 0, 0));
    long asOf = end - ArchivedTopic.DELAY.toNanos() / 1000;
    FlowQuery past =
        QueryParser.parse(analysis.requiredHistory().query())
            .bind(Parameters.NONE.with("now", Value.ofTimestamp(end)).with("live", rows));
    Expression arrived =
        QueryParser.parseCondition("arrival <= TIMESTAMP '" + Cells.time(asOf) + "'");
    FlowQuery seen = past.withWhere(new Expression.And(List.of(past.where(), arrived)));
    return new WindowHistory(
        window,
        new HistoryAnswer(
            HistoryStatus.EXACT,
            asOf,
            0,
            end,
            LongRanges.NONE,
            Optional.of(ask(snapshot, seen)),
            null,
            Optional.of(seen(snapshot, calls, rows, end - Program.HOUR, asOf))));
  }

  private static Map<String, Map<Long, String>> overHistory(
      ArchivedTopic topic, List<AnalysisConfig> analyses) throws Exception {
    Map<String, Map<Long, String>> found = new HashMap<>();
    try (Archive archive = Archive.open(topic.config(1).archive(), ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (AnalysisConfig analysis : analyses) {
        ReportLogic logic = ReportLogics.of(analysis);
        logic.open(analysis);
        for (int w = 1; w <= WINDOWS; w++) {
          long end = FIRST + w * Program.HOUR;
          found
              .computeIfAbsent(analysis.name(), name -> new TreeMap<>())
              .put(end, logic.report(read(snapshot, analysis, logic.seen(), end)).toString());
        }
      }
    }
    return found;
  }

  @Test
  void theSameRowsComeLiveInAReplayAndOverHistory() throws Exception {
    SplittableRandom random = new SplittableRandom(SEED);
    List<AnalysisConfig> analyses = new ArrayList<>();
    for (int i = 0; i < QUERIES; i++) {
      analyses.add(random(i, random));
    }
    List<AnalysisConfig> all = new ArrayList<>(analyses);
    all.add(example());
    try (ArchivedTopic topic = new ArchivedTopic(directory)) {
      Map<String, Map<Long, String>> live = live(topic, all);
      Map<String, Map<Long, String>> replayed = replayed(topic, all);
      Map<String, Map<Long, String>> history = overHistory(topic, analyses);
      int rows = 0;
      for (AnalysisConfig analysis : all) {
        String at = "seed " + SEED + ", " + analysis.live() + ": " + analysis.report().query();
        assertEquals(replayed.get(analysis.name()), live.get(analysis.name()), at);
        if (history.containsKey(analysis.name())) {
          assertEquals(history.get(analysis.name()), live.get(analysis.name()), at);
        }
        for (String report : live.get(analysis.name()).values()) {
          rows += report.contains("\n") ? 1 : 0;
        }
      }
      assertTrue(rows > all.size() * WINDOWS / 2, "reports with rows: " + rows);
      for (String value : List.of("true\ttrue", "false\tNULL", "true\tNULL")) {
        assertTrue(
            value.equals("true\tNULL") != live.toString().contains(value),
            "SEEN in 12 hours and ever: " + value);
      }
      assertTrue(live.get("bursts").toString().contains("\n"), "rows of the example");
    }
  }
}
