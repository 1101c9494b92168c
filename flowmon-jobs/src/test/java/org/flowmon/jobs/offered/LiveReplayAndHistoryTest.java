package org.flowmon.jobs.offered;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.ReportPipeline;
import org.flowmon.jobs.WindowPipeline;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.examples.ExamplePage;
import org.flowmon.jobs.examples.QueryExample;
import org.flowmon.jobs.history.HistoryOperator;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.replay.Replay;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A job that fails and restarts, a replay of the archive and, for live queries, a query over the
 * archive give the same for the same flows, late ones among them, at every parallelism: for every
 * bundled or offered file, and for every construct of the dialect.
 */
class LiveReplayAndHistoryTest {
  private static final int[] LIVE_PARALLELISMS = {1, 4};
  private static final int[] REPLAY_PARALLELISMS = {1, 2, 4};

  @TempDir private static Path directory;
  private static ArchivedTopic topic;
  // Live reports, by parallelism and analysis.
  private static final Map<Integer, Map<String, Map<Long, String>>> LIVE = new HashMap<>();

  @BeforeAll
  static void runLiveJobs() throws Exception {
    topic = new ArchivedTopic(directory);
    for (int parallelism : LIVE_PARALLELISMS) {
      // Once with reports that are revised as late flows come: the last is the final one.
      LIVE.put(parallelism, live(parallelism, analyses(parallelism == 4)));
    }
  }

  @AfterAll
  static void stop() {
    if (topic != null) {
      topic.close();
    }
  }

  /** Returns all bundled and offered files. */
  static List<String> files() throws Exception {
    Path folder = Path.of(AnalysisConfig.class.getResource("/analyses").toURI());
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  private static List<AnalysisConfig> analyses(boolean revised) throws Exception {
    List<AnalysisConfig> analyses = new ArrayList<>();
    for (String file : files()) {
      analyses.add(analysis(file, revised));
    }
    return analyses;
  }

  private static AnalysisConfig analysis(String file, boolean revised) {
    String text = AnalysisConfig.wholeTextOf(file.replace(".yaml", ""));
    // A machine under load is slow; the results do not depend on it.
    text = text.replaceAll("\n  timeout: \\S+", "\n  timeout: 300s");
    return AnalysisConfig.parse(
        file, revised ? text.replaceAll("\n  revisions: false[^\n]*", "") : text);
  }

  /** Returns the start of the compared windows: the last ones, which have many flows. */
  private static long from(AnalysisConfig analysis) {
    long slide = analysis.live().slideMicros();
    return ArchivedTopic.END
        - analysis.live().windowMicros()
        - (slide > 10 * Program.MINUTE ? 2 : 5) * slide;
  }

  private static Map<String, Map<Long, String>> live(int parallelism, List<AnalysisConfig> analyses)
      throws Exception {
    Map<String, Long> from = new HashMap<>();
    analyses.forEach(analysis -> from.put(analysis.name(), from(analysis)));
    SingleOutputStreamOperator<WindowResult> windows =
        topic
            .failingWindows(parallelism, analyses)
            .filter(
                window ->
                    window.windowStart() >= from.get(window.analysis())
                        && window.windowEnd() <= ArchivedTopic.END);
    SingleOutputStreamOperator<Report> reports =
        ReportPipeline.reports(
            windows,
            new HistoryOperator.Settings(
                List.of(topic.config(parallelism).archive()),
                analyses,
                ArchivedTopic.DELAY,
                FlowTopic.lookUp(topic.config(parallelism).kafka()),
                ArchivedTopic.DISORDER,
                HistoryOperator.Pace.LIVE));
    Map<String, Map<Long, String>> found = new TreeMap<>();
    Map<String, Integer> revisions = new HashMap<>();
    try (CloseableIterator<Report> all = reports.executeAndCollect()) {
      while (all.hasNext()) {
        Report report = all.next();
        String window = report.analysis() + " " + report.windowEnd();
        if (report.revision() >= revisions.getOrDefault(window, 0)) {
          revisions.put(window, report.revision());
          found
              .computeIfAbsent(report.analysis(), name -> new TreeMap<>())
              .put(report.windowEnd(), said(report));
        }
      }
    }
    topic.requireAFailure();
    return found;
  }

  /** Returns a report as text, after a check that its history was whole. */
  private static String said(Report report) {
    HistoryStatus status = report.confidence().history();
    boolean isWhole = status == HistoryStatus.EXACT || status == HistoryStatus.NONE;
    return (isWhole ? "" : report.confidence() + "\n") + report.rows();
  }

  private static Map<Long, String> replayed(AnalysisConfig analysis, int parallelism)
      throws Exception {
    ReplaySpec spec =
        new ReplaySpec(
            List.of(topic.config(1).archive()),
            analysis,
            from(analysis),
            ArchivedTopic.END,
            ArchivedTopic.DELAY,
            ArchivedTopic.DISORDER);
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism);
    env.setMaxParallelism(16);
    Map<Long, String> found = new TreeMap<>();
    try (CloseableIterator<Report> all = Replay.reports(env, spec, 16).executeAndCollect()) {
      while (all.hasNext()) {
        Report report = all.next();
        assertEquals(null, found.put(report.windowEnd(), said(report)), "reports of a window");
      }
    }
    return found;
  }

  /**
   * A replay at one parallelism, each at that of a third of the files, and the live jobs at all.
   */
  @ParameterizedTest(name = "{0}")
  @MethodSource("files")
  void aReplayGivesTheRowsOfTheLiveJobs(String file) throws Exception {
    AnalysisConfig analysis = analysis(file, false);
    int replays = REPLAY_PARALLELISMS[files().indexOf(file) % REPLAY_PARALLELISMS.length];
    String replay = file + ", seed " + ArchivedTopic.SEED + ", replay at parallelism " + replays;
    Map<Long, String> replayed = replayed(analysis, replays);
    assertTrue(replayed.get(ArchivedTopic.END).contains("\n"), replay + ": no rows");
    for (int parallelism : LIVE_PARALLELISMS) {
      assertEquals(
          replayed,
          LIVE.get(parallelism).get(analysis.name()),
          replay + ", live at parallelism " + parallelism);
    }
  }

  @Test
  void everyFileComesAlongByName() throws Exception {
    Set<String> names = new TreeSet<>();
    Stream.concat(AnalysisConfig.bundled().stream(), AnalysisConfig.offered().stream())
        .forEach(analysis -> names.add(analysis.name() + ".yaml"));
    assertEquals(names, new TreeSet<>(files()));
  }

  /** Returns the examples of live queries as analyses: an hour each, with lateness. */
  private static List<AnalysisConfig> constructs() throws Exception {
    List<AnalysisConfig> analyses = new ArrayList<>();
    List<QueryExample> examples =
        ExamplePage.all().stream().flatMap(page -> page.examples().stream()).toList();
    for (QueryExample example : examples) {
      Query query;
      try {
        query = example.query();
      } catch (QueryException e) {
        continue; // an example of an error
      }
      // A live query is over flows alone.
      if (query instanceof FlowQuery live && live.isAggregated() && live.inQueries().isEmpty()) {
        // Frequent items depend on the order of rows, sketches do not.
        String sql =
            live.toString().replaceAll("(HEAVY_HITTERS\\(dst_port, bytes)\\)", "$1, 256, 2)");
        analyses.add(hourly("example_" + examples.indexOf(example), sql));
      }
    }
    assertTrue(analyses.size() > 40, analyses.size() + " examples");
    return analyses;
  }

  private static AnalysisConfig hourly(String name, String query) {
    return AnalysisConfig.parse(
        name + ".yaml",
        """
        name: %s
        live:
          query: >-
            %s
          window: 1h
          lateness: 1s
          slots: 16
        report:
          logic: live
        """
            .formatted(name, query));
  }

  private static final long FIRST_HOUR = ArchivedTopic.END - 12 * Program.HOUR;

  private static Map<String, Map<Long, ResultTable>> rows(
      SingleOutputStreamOperator<WindowResult> windows) throws Exception {
    Map<String, Map<Long, ResultTable>> rows = new TreeMap<>();
    Map<String, Integer> updates = new HashMap<>();
    try (CloseableIterator<WindowResult> all = windows.executeAndCollect()) {
      while (all.hasNext()) {
        WindowResult window = all.next();
        String key = window.analysis() + " " + window.windowEnd();
        boolean isAsked =
            window.windowStart() >= FIRST_HOUR && window.windowEnd() <= ArchivedTopic.END;
        if (isAsked && window.update() >= updates.getOrDefault(key, 0)) {
          updates.put(key, window.update());
          rows.computeIfAbsent(window.analysis(), name -> new TreeMap<>())
              .put(window.windowEnd(), window.rows());
        }
      }
    }
    return rows;
  }

  /** Returns the answers of queries over the archive for each window's flows. */
  private static Map<String, Map<Long, ResultTable>> history(List<AnalysisConfig> analyses)
      throws Exception {
    Map<String, Map<Long, ResultTable>> rows = new TreeMap<>();
    try (Archive archive = Archive.open(topic.config(1).archive(), ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (AnalysisConfig analysis : analyses) {
        FlowQuery query = QueryParser.parse(analysis.live().query());
        for (long end = FIRST_HOUR + Program.HOUR; end <= ArchivedTopic.END; end += Program.HOUR) {
          Expression within = within(end);
          FlowQuery whole =
              query.withWhere(
                  query.where() == null
                      ? within
                      : new Expression.And(List.of(query.where(), within)));
          FlowQuery count =
              QueryParser.parse("SELECT COUNT(*) AS n FROM flows").withWhere(whole.where());
          if (ArchiveQuery.run(snapshot, count, QueryOptions.DEFAULTS).table().longValue(0, 0)
              > 0) {
            rows.computeIfAbsent(analysis.name(), name -> new TreeMap<>())
                .put(end, ArchiveQuery.run(snapshot, whole, QueryOptions.DEFAULTS).table());
          }
        }
      }
    }
    return rows;
  }

  /** Returns the condition for the flows of a window: not late for it, and not ahead. */
  static Expression within(long end) {
    return QueryParser.parseCondition(
        "COALESCE(end_time, arrival) >= TIMESTAMP '%s' AND COALESCE(end_time, arrival) < TIMESTAMP '%s'"
                .formatted(Cells.time(end - Program.HOUR), Cells.time(end))
            + " AND arrival <= TIMESTAMP '%s'".formatted(Cells.time(end + Program.SECOND))
            + " AND COALESCE(end_time, arrival) <= arrival + INTERVAL '1' HOUR");
  }

  /** Returns the analysis of frequent items with default parameters. */
  private static AnalysisConfig hitters() {
    return hourly(
        "hitters",
        "SELECT outgoing, TOP(HEAVY_HITTERS(src_port, bytes), 8) AS top,"
            + " TOTAL(HEAVY_HITTERS(src_port, bytes)) AS total FROM flows GROUP BY outgoing");
  }

  /** What the windows of one job said live and in a replay, by analysis and window's end. */
  private record Windows(
      Map<String, Map<Long, ResultTable>> live, Map<String, Map<Long, ResultTable>> replayed) {}

  private static final Map<Integer, Windows> WINDOWS = new HashMap<>();

  /** Returns the windows of constructs and frequent items; each parallelism is run once. */
  private static Windows windows(int parallelism) throws Exception {
    Windows known = WINDOWS.get(parallelism);
    if (known == null) {
      List<AnalysisConfig> analyses = new ArrayList<>(constructs());
      analyses.add(hitters());
      Map<String, Map<Long, ResultTable>> live = rows(topic.failingWindows(parallelism, analyses));
      topic.requireAFailure();
      known = new Windows(live, replayedRows(analyses, parallelism));
      WINDOWS.put(parallelism, known);
    }
    return known;
  }

  @Test
  void everyConstructSaysTheSameLiveInAReplayAndOverTheArchive() throws Exception {
    List<AnalysisConfig> analyses = constructs();
    Map<String, Map<Long, ResultTable>> history = history(analyses);
    assertTrue(history.size() > 35, "too few with rows: " + history.keySet());
    for (int parallelism : LIVE_PARALLELISMS) {
      String at = "seed " + ArchivedTopic.SEED + ", parallelism " + parallelism;
      Windows windows = windows(parallelism);
      for (AnalysisConfig analysis : analyses) {
        String query = at + ", " + analysis.name() + ": " + analysis.live().query();
        assertEquals(text(history, analysis), text(windows.live(), analysis), query);
        assertEquals(text(history, analysis), text(windows.replayed(), analysis), query);
      }
    }
  }

  private static String text(Map<String, Map<Long, ResultTable>> rows, AnalysisConfig of) {
    return String.valueOf(rows.get(of.name()));
  }

  private static Map<String, Map<Long, ResultTable>> replayedRows(
      List<AnalysisConfig> analyses, int parallelism) throws Exception {
    List<String> columns =
        FlowColumn.all().stream().map(column -> "COUNT(" + column.sqlName() + ")").toList();
    AnalysisConfig everything =
        hourly("everything", "SELECT " + String.join(", ", columns) + " FROM flows");
    ReplaySpec spec =
        new ReplaySpec(
            List.of(topic.config(1).archive()),
            everything,
            FIRST_HOUR,
            ArchivedTopic.END,
            ArchivedTopic.DELAY,
            ArchivedTopic.DISORDER);
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism);
    env.setMaxParallelism(16);
    SingleOutputStreamOperator<PositionedBatch> flows = Replay.flows(env, spec);
    return rows(WindowPipeline.windows(flows, 16, analyses));
  }

  private static final Pattern ITEM =
      Pattern.compile(
          "\\{\"item\":\"?([^\",]+)\"?,\"value\":\\d+,\"lower\":(\\d+),\"upper\":(\\d+)\\}");

  /** By default frequent items, which differ with the order of rows, but not beyond bounds. */
  @Test
  void heavyHittersWithoutParametersKeepTheirBoundsEverywhere() throws Exception {
    AnalysisConfig exactly =
        hourly(
            "exactly",
            "SELECT outgoing, src_port, SUM(bytes) AS bytes FROM flows"
                + " WHERE src_port IS NOT NULL GROUP BY outgoing, src_port");
    Map<Long, ResultTable> exact = history(List.of(exactly)).get("exactly");
    int inexact =
        checkHitters(exact, history(List.of(hitters())).get("hitters"), "over the archive");
    for (int parallelism : LIVE_PARALLELISMS) {
      String at = "seed " + ArchivedTopic.SEED + ", parallelism " + parallelism;
      Windows windows = windows(parallelism);
      inexact += checkHitters(exact, windows.live().get("hitters"), at);
      inexact += checkHitters(exact, windows.replayed().get("hitters"), at + ", replayed");
    }
    assertTrue(inexact > 50, inexact + " items of other bounds than their values");
  }

  private static int checkHitters(
      Map<Long, ResultTable> exact, Map<Long, ResultTable> found, String at) {
    assertEquals(exact.keySet(), found.keySet(), at);
    int inexact = 0;
    for (Map.Entry<Long, ResultTable> window : found.entrySet()) {
      Map<String, Map<String, Long>> sums = new TreeMap<>();
      ResultTable truth = exact.get(window.getKey());
      for (int row = 0; row < truth.rowCount(); row++) {
        sums.computeIfAbsent(group(truth, row), any -> new TreeMap<>())
            .put(truth.formatted(row, 1), truth.isNull(row, 2) ? 0 : truth.longValue(row, 2));
      }
      ResultTable rows = window.getValue();
      for (int row = 0; row < rows.rowCount(); row++) {
        inexact +=
            checkHitters(
                sums.getOrDefault(group(rows, row), Map.of()),
                rows.text(row, 1),
                rows.longValue(row, 2),
                at + ", " + window.getKey() + ", " + rows);
      }
    }
    return inexact;
  }

  private static String group(ResultTable rows, int row) {
    return rows.isNull(row, 0) ? "null" : rows.formatted(row, 0);
  }

  private static int checkHitters(Map<String, Long> sums, String list, long total, String at) {
    assertEquals(sums.values().stream().mapToLong(sum -> sum).sum(), total, at);
    double width = 3.5 * total / 256;
    Map<String, Long> unlisted = new TreeMap<>(sums);
    long least = Long.MAX_VALUE;
    int items = 0;
    int inexact = 0;
    Matcher item = ITEM.matcher(list);
    while (item.find()) {
      long sum = sums.getOrDefault(item.group(1), 0L);
      long lower = Long.parseLong(item.group(2));
      long upper = Long.parseLong(item.group(3));
      assertTrue(lower <= sum && sum <= upper, at + ": " + item.group() + " is " + sum);
      assertTrue(upper - lower <= width, at + ": " + item.group() + " of " + total);
      unlisted.remove(item.group(1));
      least = Math.min(least, upper);
      items++;
      inexact += lower < upper ? 1 : 0;
    }
    long positive = sums.values().stream().filter(sum -> sum > 0).count();
    assertTrue(items == 8 || items >= positive, at + ": " + items + " of " + positive);
    for (Map.Entry<String, Long> other : unlisted.entrySet()) {
      assertTrue(other.getValue() <= least + width, at + ": " + other + " is not listed");
    }
    return inexact;
  }
}
