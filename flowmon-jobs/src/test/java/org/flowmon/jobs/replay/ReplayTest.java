package org.flowmon.jobs.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListSet;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.history.HistoryStatus;
import org.flowmon.jobs.history.WindowHistory;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogic;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Windows of archived flows, compared with a brute-force count. */
class ReplayTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final int SECONDS = 60;
  private static final int LIMIT = 10;

  @TempDir private Path directory;

  @Test
  void windowsOfAReplayAreExactAtEveryParallelism() throws Exception {
    List<TestFlow> flows = TestFlow.random(41, 30_000, SECONDS, 300);
    ArchiveLocation archive = archive("exact", flows);
    long from = TestFlow.START + 7 * SECOND;
    long to = TestFlow.START + 41 * SECOND;
    for (AnalysisConfig analysis :
        List.of(
            talkers("end_time", "2s", "2s", "1s"),
            talkers("end_time", "6s", "2s", "0s"),
            talkers("arrival", "6s", "2s", "0s"))) {
      Map<Long, String> expected = expected(flows, analysis, from, to);
      assertTrue(expected.size() > 10, "some windows lie in the range");
      for (int parallelism : new int[] {1, 2, 4}) {
        ReplaySpec spec = spec(archive, analysis, from, to);
        assertEquals(
            expected,
            rows(spec, parallelism),
            "seed 41, " + analysis.live() + ", parallelism " + parallelism);
      }
    }
  }

  @Test
  void windowsThatSlideByLessThanAWatermarksMillisecondAreExact() throws Exception {
    List<TestFlow> flows = TestFlow.random(43, 20_000, 1, 40);
    ArchiveLocation archive = archive("short", flows);
    long from = TestFlow.START + SECOND / 2;
    for (String time : List.of("end_time", "arrival")) {
      AnalysisConfig analysis = talkers(time, "2ms", "250us", "2s");
      ReplaySpec spec = spec(archive, analysis, from, from + 10_000);
      Map<Long, String> expected = expected(flows, analysis, from, from + 10_000);
      assertEquals(33, expected.size());
      assertEquals(expected, rows(spec, 1), "seed 43, by " + time);
    }
  }

  @Test
  void slicesAreTheSameWhereverAReaderBeginsAgain() throws Exception {
    List<TestFlow> flows = TestFlow.random(45, 5_000, 4, 40);
    ArchiveLocation location = archive("slices", flows);
    long from = TestFlow.START + SECOND;
    long to = from + 199 * 10_000;
    for (String time : List.of("end_time", "arrival")) {
      ReplaySpec spec = spec(location, talkers(time, "1s", "10ms", "0s"), from, to);
      try (Archive archive = Archive.open(location, ArchiveOptions.DEFAULTS);
          ArchiveSnapshot snapshot = archive.snapshot()) {
        List<String> once = new ArrayList<>();
        try (ReplaySlices slices = ReplaySlices.of(spec, List.of(snapshot), from)) {
          for (long position = from; position < to; ) {
            position = slice(slices, once);
          }
        }
        List<String> again = new ArrayList<>();
        for (long position = from; position < to; ) {
          try (ReplaySlices slices = ReplaySlices.of(spec, List.of(snapshot), position)) {
            position = slice(slices, again);
          }
        }
        assertEquals(once, again, "seed 45, by " + time);
        assertTrue(time.equals("arrival") ? once.size() == 1 : once.size() > 50, once.size() + "");
        long read =
            once.stream().mapToLong(s -> Long.parseLong(s.substring(s.indexOf(' ') + 1))).sum();
        long expected =
            flows.stream()
                .mapToLong(flow -> time.equals("arrival") ? flow.arrival() : flow.time())
                .filter(at -> at >= from && at < to)
                .count();
        assertEquals(expected, read, "seed 45, by " + time);
      }
    }
  }

  @Test
  void slicesOfArrivalsAreAsLongAsTheirRowsAreFewAndOfASlideAtLeast() throws Exception {
    List<TestFlow> flows = new ArrayList<>(TestFlow.random(47, 5_000, 40, 40));
    // Many in one slide, and then a long time without any.
    long crowded = TestFlow.START + 7 * SECOND + 1000;
    for (int i = 0; i < 900; i++) {
      flows.add(new TestFlow(crowded + i, crowded, flows.get(0).source(), 1, null));
    }
    flows.sort(Comparator.comparingLong(TestFlow::arrival));
    ArchiveLocation location = archive("rows", flows);
    long from = TestFlow.START;
    long to = TestFlow.START + 4_000 * SECOND;
    ReplaySpec spec = spec(location, talkers("arrival", "1s", "10ms", "0s"), from, to);
    try (Archive archive = Archive.open(location, ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      long all = 0;
      int crowds = 0;
      int slices = 0;
      for (long position = from; position < to; slices++) {
        long[] rows = {0};
        long begin = position;
        // A reader begins anew at each.
        try (ReplaySlices one = new ArrivalSlices(spec, List.of(snapshot), position, 300)) {
          position = one.next((block, at, count) -> rows[0] += count);
        }
        long end = position;
        long expected =
            flows.stream().filter(f -> f.arrival() >= begin && f.arrival() < end).count();
        assertEquals(expected, rows[0], "seed 47, from " + begin + " to " + end);
        boolean isOneSlide = end - begin == 10_000;
        assertTrue(rows[0] <= 300 || isOneSlide, rows[0] + " rows in " + (end - begin) + " us");
        crowds += rows[0] > 300 ? 1 : 0;
        all += rows[0];
      }
      assertEquals(flows.size(), all);
      assertEquals(1, crowds);
      assertTrue(slices >= 17 && slices <= 40, slices + " slices");
    }
  }

  /** Notes the end of the next slice and its number of flows. */
  private static long slice(ReplaySlices slices, List<String> notes) throws Exception {
    long[] flows = {0};
    long next = slices.next((rows, at, count) -> flows[0] += count);
    notes.add(next + " " + flows[0]);
    return next;
  }

  /** Reports the windows unchanged, and records them. */
  public static final class Witness implements ReportLogic {
    static final Set<Long> ENDS = new ConcurrentSkipListSet<>();
    static final Map<HistoryStatus, Integer> HISTORIES = new ConcurrentHashMap<>();

    @Override
    public List<ReportColumn> open(AnalysisConfig analysis) {
      return List.of(ReportColumn.key("src_addr", ValueKind.ADDRESS), ReportColumn.sum("bytes"));
    }

    @Override
    public ResultTable report(WindowHistory window) {
      ENDS.add(window.window().windowEnd());
      HISTORIES.merge(window.history().status(), 1, Integer::sum);
      return window.window().rows();
    }
  }

  @Test
  void windowsBesideTheRangeHaveNoHistoryLookedUpAndNoReport() throws Exception {
    List<TestFlow> flows = TestFlow.random(44, 3_000, 30, 50);
    ArchiveLocation archive = archive("beside", flows);
    AnalysisConfig analysis = talkers("end_time", "6s", "2s", "0s", Witness.class.getName());
    long from = TestFlow.START + 7 * SECOND;
    long to = TestFlow.START + 23 * SECOND;
    Witness.ENDS.clear();
    Map<Long, String> rows = rows(spec(archive, analysis, from, to), 2);
    assertEquals(expected(flows, analysis, from, to), rows);
    assertEquals(rows.keySet(), Witness.ENDS);
  }

  @Test
  void windowsThatComeFasterThanTheirHistoryIsLookedUpAllHaveOne() throws Exception {
    List<TestFlow> flows = TestFlow.random(46, 40_000, 40, 2_000);
    ArchiveLocation archive = archive("fast", flows);
    AnalysisConfig analysis =
        AnalysisConfig.parse(
            "fast.yaml",
            """
            name: fast
            live:
              query: SELECT src_addr, SUM(bytes) AS bytes FROM flows GROUP BY src_addr
              window: 200ms
              lateness: 2s
            history:
              # Each takes some hundredths of a second, and all that came at once more than the limit.
              query: |
                SELECT src_addr, bytes, COUNT(*) AS flows FROM flows WHERE end_time < :now + INTERVAL '1' HOUR
                GROUP BY src_addr, bytes
              delay: 0s
              concurrency: 1
              timeout: 2s
            report:
              logic: %s
            """
                .formatted(Witness.class.getName()));
    Witness.HISTORIES.clear();
    long from = TestFlow.START + 5 * SECOND;
    rows(spec(archive, analysis, from, from + 34 * SECOND), 1);
    assertEquals(Map.of(HistoryStatus.EXACT, 170), Witness.HISTORIES);
  }

  @Test
  void aRangeWithoutFlowsGivesNoReports() throws Exception {
    ArchiveLocation archive = archive("empty", TestFlow.random(42, 1000, 5, 20));
    AnalysisConfig analysis = talkers("end_time", "2s", "2s", "0s");
    long after = TestFlow.START + 100_000 * SECOND;
    assertEquals(Map.of(), rows(spec(archive, analysis, after, after + 3600 * SECOND), 1));
  }

  @Test
  void aRangeThatHoldsNoWindowIsRefused() {
    AnalysisConfig analysis = talkers("end_time", "6s", "2s", "0s");
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> spec(ArchiveLocation.of(directory), analysis, 0, 6 * SECOND - 1));
    assertTrue(e.getMessage().contains("no window of analysis talkers"), e.getMessage());
    // Windows begin at multiples of the slide: 2 s … 8 s is the first.
    assertThrows(
        ConfigException.class,
        () -> spec(ArchiveLocation.of(directory), analysis, 1, 8 * SECOND - 1));
    assertEquals(1, spec(ArchiveLocation.of(directory), analysis, 1, 8 * SECOND).from());
  }

  private static ReplaySpec spec(
      ArchiveLocation archive, AnalysisConfig analysis, long from, long to) {
    return new ReplaySpec(
        List.of(archive), analysis, from, to, Duration.ofSeconds(2), Duration.ZERO);
  }

  private static AnalysisConfig talkers(String time, String window, String slide, String lateness) {
    return talkers(time, window, slide, lateness, "live");
  }

  private static AnalysisConfig talkers(
      String time, String window, String slide, String lateness, String logic) {
    return AnalysisConfig.parse(
        "talkers.yaml",
        """
        name: talkers
        live:
          query: |
            SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE
            GROUP BY src_addr ORDER BY bytes DESC LIMIT %d
          time: %s
          window: %s
          slide: %s
          lateness: %s
          slots: 64
        report:
          logic: %s
        """
            .formatted(LIMIT, time, window, slide, lateness, logic));
  }

  /** Archives flows in the order of arrival, in segments of some seconds each. */
  private ArchiveLocation archive(String name, List<TestFlow> flows) throws Exception {
    ArchiveLocation location = ArchiveLocation.of(directory.resolve(name));
    try (Archive archive = Archive.openOrCreate(location, ArchiveOptions.DEFAULTS)) {
      for (int from = 0; from < flows.size(); from += 5000) {
        ImportedFile file = new ImportedFile(String.format("%064x", from), "test", 1);
        try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
          List<TestFlow> part = flows.subList(from, Math.min(from + 5000, flows.size()));
          for (FlowBatch batch : TestFlow.batches(part, 300, 1)) {
            importer.add(batch);
          }
          importer.commit("test");
        }
      }
    }
    return location;
  }

  private static Map<Long, String> expected(
      List<TestFlow> flows, AnalysisConfig analysis, long from, long to) {
    AnalysisConfig.Live live = analysis.live();
    List<TestFlow> timed = new ArrayList<>();
    for (TestFlow flow : flows) {
      boolean byArrival = live.time().name().equals("ARRIVAL");
      Long end = byArrival ? null : flow.endTime();
      timed.add(new TestFlow(flow.arrival(), end, flow.source(), flow.bytes(), flow.outgoing()));
    }
    Map<Long, String> expected = new TreeMap<>();
    BruteForce.windows(timed, live.windowMicros(), live.slideMicros(), live.latenessMicros(), LIMIT)
        .forEach(
            (end, text) -> {
              if (end - live.windowMicros() >= from && end <= to) {
                expected.put(end, text.substring(text.indexOf('\n') + 1));
              }
            });
    return expected;
  }

  private static Map<Long, String> rows(ReplaySpec spec, int parallelism) throws Exception {
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism);
    env.setMaxParallelism(16);
    Map<Long, String> rows = new TreeMap<>();
    try (CloseableIterator<Report> reports = Replay.reports(env, spec, 16).executeAndCollect()) {
      while (reports.hasNext()) {
        Report report = reports.next();
        String twice = rows.put(report.windowEnd(), describe(report.rows()));
        assertEquals(null, twice, "a window has one report");
      }
    }
    return rows;
  }

  private static String describe(ResultTable rows) {
    List<String> lines = new ArrayList<>();
    for (int r = 0; r < rows.rowCount(); r++) {
      lines.add(
          rows.address(r, rows.column("src_addr")) + " " + rows.longValue(r, rows.column("bytes")));
    }
    return String.join("\n", lines);
  }
}
