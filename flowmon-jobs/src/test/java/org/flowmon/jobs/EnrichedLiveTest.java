package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.enrich.EnrichmentFiles;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Columns that are joined from files are the same live, from history and in a replay. */
@Timeout(value = 10, unit = TimeUnit.MINUTES) // against a hang, whatever the machine's load
class EnrichedLiveTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final int PARTITIONS = 2;
  private static final int KEY_GROUPS = 16;

  // In history the marks are replaced by the flows of a window.
  private static final Map<String, String> QUERIES =
      new TreeMap<>(
          Map.of(
              "networks",
              "SELECT src_network, SUM(bytes) AS bytes, COUNT(*) AS n FROM flows WHERE src_network"
                  + " <> 'left out'{} GROUP BY src_network",
              "hosts",
              "SELECT src_addr, src_network, src_as, SUM(bytes) AS bytes FROM flows WHERE bytes >"
                  + " 0{} GROUP BY src_addr, src_as HAVING src_network IS NOT NULL ORDER BY bytes"
                  + " DESC LIMIT 10",
              "ways",
              "SELECT traffic_direction, in_if_name, SUM(bytes) AS bytes, COUNT(*) AS n FROM flows"
                  + " WHERE NOT is_duplicate{} GROUP BY traffic_direction, in_if_name",
              "nested",
              "SELECT x.src_as_name, SUM(x.bytes) AS bytes FROM (SELECT src_as_name, src_network,"
                  + " SUM(bytes) AS bytes FROM flows WHERE bytes > 0{} GROUP BY src_as_name,"
                  + " src_network) AS x WHERE x.src_network IN (SELECT src_network FROM flows WHERE"
                  + " bytes = 1000{} GROUP BY src_network) GROUP BY src_as_name"));
  private static final String OF_WINDOW =
      " AND COALESCE(end_time, arrival) >= :from AND COALESCE(end_time, arrival) < :to AND arrival"
          + " <= :through";

  @TempDir private Path directory;

  private static AnalysisConfig analysis(String name) {
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
            .formatted(name, QUERIES.get(name).replace("{}", "")));
  }

  @Test
  void liveHistoryAndReplayGiveTheSameRows() throws Exception {
    Files.writeString(
        directory.resolve("networks.csv"),
        """
        network,name
        10.0.0.0/26,left out
        10.0.0.0/28,first
        10.0.0.4/31,few
        10.0.0.32/28,others
        2001:db8::/124,six
        """);
    Files.writeString(
        directory.resolve("exporters.csv"), "exporter,name\n192.0.2.1,edge\n192.0.2.2,core\n");
    Files.writeString(
        directory.resolve("interfaces.csv"),
        """
        exporter,index,name,description
        192.0.2.1,1,xe-1,Transit: A
        192.0.2.1,2,xe-2,to core
        192.0.2.2,1,xe-1,to edge
        """);
    Files.writeString(
        directory.resolve("classes.yaml"),
        """
        interfaces:
          - {name: '^Transit', set: {boundary: external}}
          - {name: '.', set: {boundary: internal}}
        """);
    Files.writeString(
        directory.resolve("traffic.yaml"),
        """
        inside: [10.0.0.0/27]
        direction: [interfaces, networks]
        duplicates:
          - {networks: [10.0.0.0/29], count: {exporters: [192.0.2.2]}}
          - {from: [inside], count: {out_boundary: external}}
          - {from: [outside], count: {flow_direction: ingress}}
        """);
    try (InputStream as = getClass().getResourceAsStream("/enrich/as.mmdb")) {
      Files.copy(as, directory.resolve("as.mmdb"));
    }
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"))) {
      kafka.createTopic("flows", PARTITIONS);
      FlowSender sender = new FlowSender(kafka, "flows", PARTITIONS);
      sender.more = EnrichedLiveTest::addWay;
      sender.send(TestFlow.random(72, 20_000, 60, 120));
      sender.end();
      Map<String, String> live = live(kafka, 2, true);
      assertTrue(live.size() > 60, live.size() + " windows");
      assertTrue(live.values().stream().anyMatch(rows -> rows.contains("Example Six")));
      assertTrue(live.values().stream().anyMatch(rows -> rows.contains("few")));
      for (String part : List.of("internal", "transit", "xe-1", "of options 1")) {
        assertTrue(live.values().stream().anyMatch(rows -> rows.contains(part)), part);
      }
      assertEquals(live, live(kafka, 1, false), "live, parallelism 1");
      assertEquals(live, history(live), "seed 72, history");
      for (String name : QUERIES.keySet()) {
        Map<String, String> own = new TreeMap<>(live);
        own.keySet().removeIf(key -> !key.startsWith(name));
        assertEquals(own, replayed(config(kafka, 2), analysis(name)), "replay of " + name);
      }
    }
  }

  /** What a router tells of a flow's way; some do not. */
  private static void addWay(FlowBatchBuilder builder, TestFlow flow) {
    int way = (int) (flow.bytes() % 48);
    if (way == 0) {
      return;
    }
    builder.setIpv4(FlowColumn.DST_ADDR, 0x0a00_0000 + way);
    builder.setIpv4(FlowColumn.EXPORTER, 0xc000_0201 + way % 3);
    builder.set(FlowColumn.INPUT_IF, 1 + way % 2);
    builder.set(FlowColumn.OUTPUT_IF, 2 - way / 3 % 2);
    builder.set(FlowColumn.FLOW_DIRECTION, way / 6 % 2);
    if (way % 5 != 0) {
      builder.setText(FlowColumn.IN_IF_NAME, "of options " + way % 2);
    }
  }

  private static String key(String analysis, long windowEnd) {
    return analysis + " " + windowEnd;
  }

  private static List<AnalysisConfig> analyses() {
    return QUERIES.keySet().stream().map(EnrichedLiveTest::analysis).toList();
  }

  private Map<String, String> live(TestKafka kafka, int parallelism, boolean archived)
      throws Exception {
    StreamExecutionEnvironment env = environment(parallelism);
    JobConfig config = config(kafka, parallelism);
    FlowmonJob.configure(env, config);
    DataStream<PositionedBatch> flows = FlowPipeline.flows(env, config);
    if (archived) {
      FlowPipeline.archive(flows, config.archive(), 0, null, null);
    }
    Map<String, String> results = new TreeMap<>();
    Map<String, Integer> updates = new HashMap<>();
    try (CloseableIterator<WindowResult> all =
        WindowPipeline.windows(flows, config, analyses()).executeAndCollect()) {
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
    EnrichmentFiles files =
        new EnrichmentFiles(
            config(null, 1).enrichment(),
            line -> {
              throw new AssertionError(line);
            });
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
                    QueryOptions.DEFAULTS.withEnrichment(files))
                .table();
        answers.put(key, answer.toString());
      }
    }
    return answers;
  }

  /** The rows of each report, whose confidence has the versions of the files that it needs. */
  private Map<String, String> replayed(JobConfig config, AnalysisConfig analysis) throws Exception {
    ReplaySpec spec =
        new ReplaySpec(
            List.of(config.archive()),
            analysis,
            TestFlow.START - 100 * SECOND,
            TestFlow.START + 200 * SECOND,
            config.job().historyDelay(),
            config.job().disorderBound(),
            config.enrichment());
    StreamExecutionEnvironment env = environment(2);
    env.setMaxParallelism(KEY_GROUPS);
    Map<String, String> rows = new TreeMap<>();
    Set<List<String>> versions = new HashSet<>();
    try (CloseableIterator<Report> reports =
        Replay.reports(env, spec, KEY_GROUPS).executeAndCollect()) {
      while (reports.hasNext()) {
        Report report = reports.next();
        rows.put(key(report.analysis(), report.windowEnd()), report.rows().toString());
        versions.add(report.confidence().enrichment());
      }
    }
    assertEquals(1, versions.size());
    List<String> all = versions.iterator().next();
    boolean areWays = analysis.name().equals("ways");
    int files = areWays ? 4 : analysis.name().equals("networks") ? 1 : 2;
    assertEquals(files, all.size(), all.toString());
    String last = areWays ? "traffic \\S+/traffic.yaml" : "networks \\S+/networks.csv";
    assertTrue(
        all.get(all.size() - 1).matches(last + " of \\S+Z \\(sha256 [0-9a-f]{12}\\)"),
        all.toString());
    return rows;
  }

  private JobConfig config(TestKafka kafka, int parallelism) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: flows}
        archive: {directory: %s}
        enrichment:
          networks: %s
          as: %s
          exporters: %s
          interfaces: %s
          classes: %s
          traffic: %s
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
                directory.resolve("networks.csv"),
                directory.resolve("as.mmdb"),
                directory.resolve("exporters.csv"),
                directory.resolve("interfaces.csv"),
                directory.resolve("classes.yaml"),
                directory.resolve("traffic.yaml"),
                parallelism,
                KEY_GROUPS,
                directory.resolve("checkpoints").toUri()));
  }

  private static StreamExecutionEnvironment environment(int parallelism) {
    return LocalFlink.environment(parallelism, LocalFlink.restarts(2));
  }
}
