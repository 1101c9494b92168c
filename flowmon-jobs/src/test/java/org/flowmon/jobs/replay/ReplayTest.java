package org.flowmon.jobs.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.TaskManagerOptions;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.manifest.ImportedFile;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.report.Report;
import org.flowmon.udaf.query.ResultTable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Windows of archived flows, against a brute-force count. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // against a hang, whatever the machine's load
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
  }

  private static ReplaySpec spec(
      ArchiveLocation archive, AnalysisConfig analysis, long from, long to) {
    return new ReplaySpec(archive, analysis, from, to, Duration.ofSeconds(2), Duration.ZERO);
  }

  private static AnalysisConfig talkers(String time, String window, String slide, String lateness) {
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
          logic: live
        """
            .formatted(LIMIT, time, window, slide, lateness));
  }

  /** Flows in the order of arrival, in segments of some seconds each. */
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
    Configuration options = new Configuration();
    options.set(TaskManagerOptions.NETWORK_MEMORY_MAX, MemorySize.ofMebiBytes(32));
    options.set(TaskManagerOptions.NETWORK_MEMORY_MIN, MemorySize.ofMebiBytes(32));
    options.set(TaskManagerOptions.MANAGED_MEMORY_SIZE, MemorySize.ofMebiBytes(16));
    StreamExecutionEnvironment env =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism, options);
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
