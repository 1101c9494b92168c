package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Function;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.merge.MergeRun;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** COUNT(DISTINCT …) through the merge: sets of values, and the same query over history. */
class DistinctWindowsTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final int LIMIT = 9;
  private static final AnalysisConfig TUMBLING = analysis("tumbling", "2s", "2s");
  private static final AnalysisConfig SLIDING = analysis("sliding", "4s", "1s");

  private static AnalysisConfig analysis(String name, String window, String slide) {
    return AnalysisConfig.parse(
        name + ".yaml",
        """
        name: %s
        live:
          query: |
            SELECT src_addr, COUNT(DISTINCT bytes %% 50, outgoing) AS kinds, SUM(bytes) AS bytes,
              COUNT(DISTINCT outgoing) AS ways
            FROM flows WHERE bytes > 10
            GROUP BY src_addr ORDER BY kinds DESC, bytes DESC LIMIT %d
          window: %s
          slide: %s
          lateness: 1s
          slots: 16
        report:
          logic: live
        """
            .formatted(name, LIMIT, window, slide));
  }

  private static final class Source {
    private final Set<List<Object>> kinds = new HashSet<>();
    private final Set<Boolean> ways = new HashSet<>();
    private long bytes;

    void add(TestFlow flow) {
      bytes += flow.bytes();
      if (flow.outgoing() != null) {
        kinds.add(List.of(flow.bytes() % 50, flow.outgoing()));
        ways.add(flow.outgoing());
      }
    }
  }

  private static Map<Long, String> expected(List<TestFlow> flows, AnalysisConfig analysis) {
    long width = analysis.live().windowMicros();
    long slide = analysis.live().slideMicros();
    Map<Long, Map<IpAddress, Source>> windows = new TreeMap<>();
    for (TestFlow flow : flows) {
      long first = Math.floorDiv(flow.time(), slide) * slide + slide;
      for (long end = first; flow.bytes() > 10 && end < first + width; end += slide) {
        if (flow.arrival() <= end + SECOND) {
          windows
              .computeIfAbsent(end, e -> new TreeMap<>())
              .computeIfAbsent(flow.source(), s -> new Source())
              .add(flow);
        }
      }
    }
    Map<Long, String> described = new TreeMap<>();
    windows.forEach((end, sources) -> described.put(end, describe(sources)));
    return described;
  }

  private static String describe(Map<IpAddress, Source> sources) {
    List<Map.Entry<IpAddress, Source>> rows = new ArrayList<>(sources.entrySet());
    // Stable, over sources in their order: ties stay in the order of the keys.
    rows.sort(
        Comparator.comparing((Map.Entry<IpAddress, Source> row) -> -row.getValue().kinds.size())
            .thenComparing(row -> -row.getValue().bytes));
    StringBuilder text = new StringBuilder("groups " + sources.size());
    long bytes = sources.values().stream().mapToLong(source -> source.bytes).sum();
    text.append(" kinds NULL bytes ").append(bytes).append(" ways NULL");
    rows.stream()
        .limit(LIMIT)
        .forEach(
            row ->
                text.append('\n')
                    .append(row.getKey() + " " + row.getValue().kinds.size())
                    .append(" " + row.getValue().bytes + " " + row.getValue().ways.size()));
    return text.toString();
  }

  private static String describe(WindowResult result) {
    StringBuilder text = new StringBuilder("groups " + result.groups());
    ResultTable totals = result.totals();
    for (String name : totals.names()) {
      int column = totals.column(name);
      String total = totals.isNull(0, column) ? "NULL" : totals.formatted(0, column);
      text.append(' ').append(name).append(' ').append(total);
    }
    ResultTable rows = result.rows();
    for (int r = 0; r < rows.rowCount(); r++) {
      text.append('\n').append(rows.address(r, 0));
      for (int c = 1; c < rows.columnCount(); c++) {
        text.append(' ').append(rows.longValue(r, c));
      }
    }
    return text.toString();
  }

  @Test
  void windowsAreExactAcrossRestartsAtOtherParallelisms() throws Exception {
    for (long seed = 31; seed <= 36; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      List<TestFlow> flows = TestFlow.random(seed, 6_000, 15, 20 + random.nextInt(300));
      MergeRun run = run(random, flows, DistinctWindowsTest::describe);
      for (AnalysisConfig analysis : run.analyses) {
        assertEquals(
            expected(flows, analysis),
            run.results.get(analysis.name()),
            "seed " + seed + ", " + analysis.name());
      }
    }
  }

  /** Merges all flows; the merge is restored a few times at 1, 2 or 4 tasks. */
  private static MergeRun run(
      SplittableRandom random, List<TestFlow> flows, Function<WindowResult, String> describe)
      throws Exception {
    MergeRun run = new MergeRun(List.of(TUMBLING, SLIDING));
    run.describe = describe;
    int done = 0;
    while (done < flows.size()) {
      int next = Math.min(flows.size(), done + 500 + random.nextInt(2_500));
      List<TestFlow> part = flows.subList(done, next);
      long through = next == flows.size() ? Long.MAX_VALUE : flows.get(next - 1).arrival();
      run.with(1 << random.nextInt(3), part, through);
      done = next;
    }
    return run;
  }

  @Test
  void windowsEqualTheSameQueryOverHistory(@TempDir Path directory) throws Exception {
    SplittableRandom random = new SplittableRandom(41);
    List<TestFlow> flows = TestFlow.random(41, 5_000, 12, 150);
    MergeRun run = run(random, flows, result -> result.rows() + "\ngroups " + result.groups());
    try (Archive archive = Archive.openOrCreate(directory, ArchiveOptions.DEFAULTS)) {
      for (int from = 0; from < flows.size(); from += 1_700) {
        commit(archive, flows.subList(from, Math.min(flows.size(), from + 1_700)), from / 1_700);
      }
      for (AnalysisConfig analysis : run.analyses) {
        Map<Long, String> windows = run.results.get(analysis.name());
        assertTrue(windows.size() > 5, windows.size() + " windows");
        Map<Long, String> history = new TreeMap<>();
        for (long end : windows.keySet()) {
          history.put(end, history(archive, analysis, end));
        }
        assertEquals(history, windows, "seed 41, " + analysis.name());
      }
    }
  }

  private static void commit(Archive archive, List<TestFlow> flows, long offset) throws Exception {
    archive.commit(
        ArchiveCommit.ofRanges(
            List.of(
                archive
                    .newSegmentWriter()
                    .seal(
                        archive.segmentsDirectory(),
                        TestFlow.batches(flows, 300, 1),
                        Provenance.NONE)),
            List.of(
                new SourceRange(
                    "t:0",
                    offset,
                    offset + 1,
                    flows.get(0).arrival(),
                    flows.get(flows.size() - 1).arrival(),
                    false)),
            "test"));
  }

  /** Returns the live query's answer over the flows of one window in the archive. */
  private static String history(Archive archive, AnalysisConfig analysis, long end)
      throws Exception {
    String where =
        "WHERE COALESCE(end_time, arrival) >= :start AND COALESCE(end_time, arrival) < :end"
            + " AND arrival <= :last AND";
    Parameters window =
        Parameters.NONE
            .with("start", Value.ofTimestamp(end - analysis.live().windowMicros()))
            .with("end", Value.ofTimestamp(end))
            .with("last", Value.ofTimestamp(end + SECOND));
    FlowQuery query = QueryParser.parse(analysis.live().query().replace("WHERE", where));
    FlowQuery all = new FlowQuery(query.select(), query.where(), query.groupBy(), List.of(), -1);
    try (var snapshot = archive.snapshot()) {
      ResultTable rows =
          ArchiveQuery.run(snapshot, query.bind(window), QueryOptions.DEFAULTS).table();
      int groups =
          ArchiveQuery.run(snapshot, all.bind(window), QueryOptions.DEFAULTS).table().rowCount();
      return rows + "\ngroups " + groups;
    }
  }
}
