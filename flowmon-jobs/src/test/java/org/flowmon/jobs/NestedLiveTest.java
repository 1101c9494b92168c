package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.replay.Replay;
import org.flowmon.jobs.replay.ReplaySpec;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Queries over results give the same live, across a restart, from history and in a replay. */
class NestedLiveTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final int PARTITIONS = 2;
  private static final int KEY_GROUPS = 16;

  // In history the marks are replaced by the flows of a window.
  private static final String JOIN =
      "SELECT a.src_addr, a.bytes, b.bytes AS sent, b.n FROM (SELECT src_addr, SUM(bytes) AS bytes"
          + " FROM flows WHERE outgoing IS NOT TRUE{} GROUP BY src_addr) AS a LEFT JOIN (SELECT"
          + " src_addr, SUM(bytes) AS bytes, COUNT(*) AS n FROM flows WHERE outgoing{} GROUP BY"
          + " src_addr) AS b ON a.src_addr = b.src_addr ORDER BY a.bytes DESC LIMIT 20";
  private static final String SUBQUERY =
      "SELECT x.n, COUNT(*) AS sources, SUM(x.bytes) AS bytes FROM (SELECT src_addr, COUNT(*) AS n,"
          + " SUM(bytes) AS bytes FROM flows WHERE bytes > 100{} GROUP BY src_addr) AS x WHERE"
          + " x.src_addr NOT IN (SELECT src_addr FROM flows WHERE bytes = 1000{} GROUP BY src_addr)"
          + " GROUP BY n HAVING sources > 1";
  private static final String PAGE =
      "SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE bytes > 10{} GROUP BY src_addr ORDER"
          + " BY bytes DESC LIMIT 7 OFFSET 5";
  private static final String OF_WINDOW =
      " AND COALESCE(end_time, arrival) >= :from AND COALESCE(end_time, arrival) < :to AND arrival"
          + " <= :through";

  @TempDir private Path directory;

  private static AnalysisConfig analysis(String name, String query) {
    return AnalysisConfig.parse(
        name + ".yaml",
        """
        name: %s
        live:
          query: %s
          window: 6s
          slide: 2s
          lateness: 1s
          slots: 64
        report: {logic: live}
        """
            .formatted(name, query.replace("{}", "")));
  }

  private static final Map<String, String> QUERIES =
      Map.of("joined", JOIN, "nested", SUBQUERY, "paged", PAGE);

  private static final List<AnalysisConfig> ANALYSES =
      QUERIES.entrySet().stream()
          .map(query -> analysis(query.getKey(), query.getValue()))
          .sorted(Comparator.comparing(AnalysisConfig::name))
          .toList();

  @Test
  void liveHistoryAndReplayGiveTheSameRows() throws Exception {
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"))) {
      kafka.createTopic("flows", PARTITIONS);
      List<TestFlow> flows = TestFlow.random(71, 40_000, 60, 120);
      FlowSender sender = new FlowSender(kafka, "flows", PARTITIONS);
      sender.send(flows);
      sender.end();
      FailOnce.reset();
      Map<String, String> live = live(kafka, 2, true);
      assertEquals(1, FailOnce.failures(), "the case needs a failure");
      assertTrue(live.size() > 50, live.size() + " windows");
      for (int parallelism : new int[] {1, 4}) {
        assertEquals(live, live(kafka, parallelism, false), "live, parallelism " + parallelism);
      }
      assertEquals(live, history(live), "seed 71, history");
      for (AnalysisConfig analysis : ANALYSES) {
        Map<String, String> own = new TreeMap<>(live);
        own.keySet().removeIf(key -> !key.startsWith(analysis.name()));
        for (int parallelism : new int[] {1, 2, 4}) {
          assertEquals(
              own,
              replayed(config(kafka, parallelism), analysis, parallelism),
              "seed 71, replay of " + analysis.name() + ", parallelism " + parallelism);
        }
      }
    }
  }

  private static String key(String analysis, long windowEnd) {
    return analysis + " " + windowEnd;
  }

  private Map<String, String> live(TestKafka kafka, int parallelism, boolean archived)
      throws Exception {
    StreamExecutionEnvironment env = environment(parallelism);
    JobConfig config = config(kafka, parallelism);
    FlowmonJob.configure(env, config);
    DataStream<PositionedBatch> flows = FlowPipeline.flows(env, config);
    if (archived) {
      flows =
          flows
              .map(new FailOnce())
              .returns(PositionedBatch.TYPE)
              .setParallelism(flows.getParallelism());
      FlowPipeline.archive(flows, config.archive(), 0, null, null);
    }
    Map<String, String> results = new TreeMap<>();
    Map<String, Integer> updates = new TreeMap<>();
    try (CloseableIterator<WindowResult> all =
        WindowPipeline.windows(flows, config, ANALYSES).executeAndCollect()) {
      while (all.hasNext()) {
        WindowResult result = all.next();
        String key = key(result.analysis(), result.windowEnd());
        if (updates.merge(key, result.update(), Math::max) == result.update()) {
          results.put(key, result.rows().toString());
        }
      }
    }
    return results;
  }

  private Map<String, String> history(Map<String, String> windows) throws Exception {
    Map<String, String> answers = new TreeMap<>();
    try (Archive archive = Archive.open(config(null, 1).archive(), ArchiveOptions.DEFAULTS);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      for (String key : windows.keySet()) {
        String sql = QUERIES.get(key.substring(0, key.indexOf(' ')));
        long end = Long.parseLong(key.substring(key.indexOf(' ') + 1));
        Parameters window =
            Parameters.NONE
                .with("from", Value.ofTimestamp(end - 6 * SECOND))
                .with("to", Value.ofTimestamp(end))
                .with("through", Value.ofTimestamp(end + SECOND));
        ResultTable answer =
            ArchiveQuery.run(
                    snapshot,
                    QueryParser.parseQuery(sql.replace("{}", OF_WINDOW)).bind(window),
                    QueryOptions.DEFAULTS)
                .table();
        answers.put(key, answer.toString());
      }
    }
    return answers;
  }

  private static Map<String, String> replayed(
      JobConfig config, AnalysisConfig analysis, int parallelism) throws Exception {
    ReplaySpec spec =
        new ReplaySpec(
            List.of(config.archive()),
            analysis,
            TestFlow.START - 100 * SECOND,
            TestFlow.START + 200 * SECOND,
            config.job().historyDelay(),
            config.job().disorderBound());
    StreamExecutionEnvironment env = environment(parallelism);
    env.setMaxParallelism(KEY_GROUPS);
    Map<String, String> rows = new TreeMap<>();
    try (CloseableIterator<Report> reports =
        Replay.reports(env, spec, KEY_GROUPS).executeAndCollect()) {
      while (reports.hasNext()) {
        Report report = reports.next();
        rows.put(key(report.analysis(), report.windowEnd()), report.rows().toString());
      }
    }
    return rows;
  }

  private JobConfig config(TestKafka kafka, int parallelism) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: flows}
        archive: {directory: %s}
        job:
          parallelism: %d
          max_parallelism: %d
          checkpoint_interval: 100ms
          checkpoint_directory: %s
          disorder_bound: 0s
          bounded: true
        """
            .formatted(
                kafka == null ? "localhost:1" : kafka.bootstrap(),
                directory.resolve("archive"),
                parallelism,
                KEY_GROUPS,
                directory.resolve("checkpoints").toUri()));
  }

  private static StreamExecutionEnvironment environment(int parallelism) {
    return LocalFlink.environment(parallelism, LocalFlink.restarts(2));
  }
}
