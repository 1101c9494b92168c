package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.runtime.jobgraph.jsonplan.JsonPlanGenerator;
import org.apache.flink.runtime.rest.messages.JobPlanInfo;
import org.apache.flink.runtime.rest.util.RestMapperUtils;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.graph.StreamGraph;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.PositionedBatch;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** From Kafka to the windows' results, in this JVM, against a brute-force count. */
class FlowmonJobTest {
  private static final int PARTITIONS = 3;

  // 64 slots for some 300 groups and several panes: nearly every batch evicts.
  private static final AnalysisConfig TUMBLING =
      TestAnalyses.talkers("tumbling", "2s", "2s", "1s", 64, 10);
  private static final AnalysisConfig SLIDING =
      TestAnalyses.talkers("sliding", "6s", "2s", "0s", 64, 10);
  private static final List<AnalysisConfig> BOTH = List.of(TUMBLING, SLIDING);

  private static TestKafka kafka;
  @TempDir private static Path directory;

  @BeforeAll
  static void startKafka() throws Exception {
    kafka = new TestKafka(directory.resolve("kafka"));
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  @Test
  void windowsOfABoundedRunAreExactAtEveryParallelism() throws Exception {
    List<TestFlow> flows = TestFlow.random(31, 60_000, 60, 300);
    String topic = topic("bounded");
    produce(topic, flows, true);
    for (int parallelism : new int[] {1, 2}) {
      Map<String, Map<Long, String>> results = runBounded(topic, parallelism, BOTH);
      assertExact(flows, results, "seed 31, parallelism " + parallelism);
    }
  }

  @Test
  void anUnboundedRunGivesWhatABoundedOneGives() throws Exception {
    List<TestFlow> flows = TestFlow.random(32, 30_000, 30, 300);
    String topic = topic("unbounded");
    List<TestFlow> first = flows.subList(0, 10_000);
    FlowSender sender = new FlowSender(kafka, topic, PARTITIONS);
    sender.send(first);
    StreamExecutionEnvironment env = environment(2);
    JobConfig config = config(topic, 2, false);
    FlowmonJob.configure(env, config);
    DataStream<WindowResult> windows =
        WindowPipeline.windows(FlowPipeline.flows(env, config), config, BOTH);
    Map<String, Map<Long, String>> results = new TreeMap<>();
    Map<String, Map<Long, String>> expected =
        Map.of("tumbling", expected(TUMBLING, flows), "sliding", expected(SLIDING, flows));
    try (CloseableIterator<WindowResult> iterator = windows.collectAsync()) {
      JobClient job = env.executeAsync("unbounded");
      sender.send(flows.subList(10_000, 20_000));
      Thread.sleep(1000);
      sender.send(flows.subList(20_000, 30_000));
      sender.end();
      while (!results.equals(expected)) { // seed 32
        put(results, iterator.next());
      }
      job.cancel().get();
    }
  }

  @Test
  void aFailureAndARestartFromTheCheckpointChangeNoResult() throws Exception {
    List<TestFlow> flows = TestFlow.random(33, 60_000, 60, 300);
    String topic = topic("failure");
    produce(topic, flows, true);
    FailOnce.reset();
    StreamExecutionEnvironment env = environment(2);
    JobConfig config = config(topic, 2, true, 100);
    FlowmonJob.configure(env, config);
    DataStream<PositionedBatch> failing =
        FlowPipeline.flows(env, config)
            .map(new FailOnce())
            .returns(PositionedBatch.TYPE)
            .setParallelism(2);
    DataStream<WindowResult> windows = WindowPipeline.windows(failing, config, BOTH);
    Map<String, Map<Long, String>> results = new TreeMap<>();
    try (CloseableIterator<WindowResult> iterator = windows.collectAsync()) {
      env.executeAsync("failing");
      while (iterator.hasNext()) {
        put(results, iterator.next());
      }
    }
    assertEquals(1, FailOnce.failures(), "the case needs a failure");
    assertExact(flows, results, "seed 33");
  }

  @Test
  void aBatchWhoseTextsAreNotUtf8IsLeftOutAndTheTopicGoesOn() throws Exception {
    List<TestFlow> flows = TestFlow.random(34, 3_000, 10, 50);
    String topic = topic("texts");
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, flows.get(0).arrival());
    builder.set(FlowColumn.END_TIME, flows.get(0).arrival());
    builder.setText(FlowColumn.SERVICE, new byte[FlowBatch.MAX_TEXT_BYTES]);
    builder.endRow();
    byte[] foreign = builder.build(7, 0, 1, 0);
    // Zeros of an ASCII text, the only run of this length: each becomes a replacement character.
    Arrays.fill(foreign, foreign.length - FlowBatch.MAX_TEXT_BYTES, foreign.length, (byte) 0xFF);
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      producer.send(new ProducerRecord<>(topic, 0, null, foreign)).get();
    }
    produce(topic, flows, false);
    AnalysisConfig services =
        AnalysisConfig.parse(
            "services.yaml",
            """
            name: services
            live:
              query: SELECT service, SUM(bytes) AS bytes FROM flows GROUP BY service
              window: 2s
            report:
              logic: live
            """);
    List<AnalysisConfig> three = List.of(TUMBLING, SLIDING, services);
    Map<String, Map<Long, String>> results = new TreeMap<>();
    StreamExecutionEnvironment env = environment(2);
    JobConfig config = config(topic, 2, true);
    FlowmonJob.configure(env, config);
    long groups = 0;
    try (CloseableIterator<WindowResult> iterator =
        WindowPipeline.windows(FlowPipeline.flows(env, config), config, three)
            .executeAndCollect()) {
      while (iterator.hasNext()) {
        WindowResult result = iterator.next();
        if (result.analysis().equals("services")) {
          assertEquals(1, result.groups(), "no service in any flow that was taken");
          groups++;
        } else {
          put(results, result);
        }
      }
    }
    assertTrue(groups > 0);
    assertExact(flows, results, "seed 34");
  }

  @Test
  void theGraphIsTheSameWhateverAnalysesRun() throws Exception {
    String topic = topic("graph");
    JobConfig config = config(topic, 2, true);
    assertEquals(graph(config, List.of()), graph(config, BOTH));
  }

  private static List<String> graph(JobConfig config, List<AnalysisConfig> analyses) {
    StreamExecutionEnvironment env = environment(2);
    FlowmonJob.build(env, config, analyses);
    return env.getStreamGraph(false).getStreamNodes().stream()
        .map(
            node ->
                node.getOperatorName()
                    + " <- "
                    + node.getInEdges().size()
                    + " "
                    + node.getTransformationUID())
        .sorted()
        .toList();
  }

  @Test
  void whatFlinkShowsOfTheJobHasNoSecrets() throws Exception {
    String secret = "Xq7fProud";
    JobConfig plain = config(topic("secrets"), 2, true);
    JobConfig.Kafka kafka = plain.kafka();
    Map<String, String> properties =
        Map.of("ssl.key.password", secret, "sasl.jaas.config", "x required password=" + secret);
    JobConfig config =
        new JobConfig(
            new JobConfig.Kafka(
                kafka.bootstrap(),
                kafka.topic(),
                kafka.group(),
                kafka.startingOffsets(),
                null,
                properties),
            null,
            0,
            null,
            null,
            new JobConfig.Postgres("jdbc:postgresql://db/x?password=" + secret, "u", null),
            null,
            List.of(),
            plain.job());
    StreamExecutionEnvironment env = environment(2);
    FlowmonJob.build(env, config, BOTH);
    StreamGraph graph = env.getStreamGraph(false);
    StringBuilder shown = new StringBuilder(graph.getStreamingPlanAsJSON());
    shown.append(graph.getJobName()).append(env.getConfig().toConfiguration());
    shown.append(env.getConfig().getGlobalJobParameters().toMap()).append(env.getConfiguration());
    shown.append(
        RestMapperUtils.getStrictObjectMapper()
            .writeValueAsString(
                new JobPlanInfo(JsonPlanGenerator.generatePlan(graph.getJobGraph()))));
    graph
        .getJobGraph()
        .getVertices()
        .forEach(
            vertex ->
                shown
                    .append(vertex)
                    .append(vertex.getOperatorDescription())
                    .append(vertex.getOperatorPrettyName())
                    .append(vertex.getResultOptimizerProperties())
                    .append(vertex.getConfiguration()));
    assertTrue(shown.indexOf("PostgreSQL") >= 0 || shown.indexOf("postgres") >= 0, "no plan");
    assertTrue(shown.indexOf(secret) < 0, shown::toString);
  }

  @Test
  void everyOperatorHasAUid() throws Exception {
    StreamExecutionEnvironment env = environment(2);
    FlowmonJob.build(env, config(topic("uids"), 2, true), BOTH);
    env.getStreamGraph(false)
        .getStreamNodes()
        .forEach(node -> assertTrue(node.getTransformationUID() != null, node.getOperatorName()));
  }

  @Test
  void sinksThatWriteAtLeastOnceHaveNoCommitter() throws Exception {
    List<String> graph = graph(config(topic("committers"), 2, true), BOTH);
    assertTrue(
        graph.stream().anyMatch(node -> node.startsWith("kafka-reports: Writer")), graph::toString);
    // Flink's own have a metric that collides with itself.
    assertEquals(List.of(), graph.stream().filter(node -> node.contains("Committer")).toList());
  }

  @Test
  void aTopicThatIsNotThereIsSaidWhenTheJobIsBuilt() {
    ConfigException e =
        assertThrows(
            ConfigException.class,
            () -> FlowmonJob.build(environment(1), config("nowhere", 1, true), BOTH));
    assertTrue(
        e.getMessage().contains("kafka.topic: 'nowhere' cannot be looked up"), e.getMessage());
  }

  private static Map<String, Map<Long, String>> runBounded(
      String topic, int parallelism, List<AnalysisConfig> analyses) throws Exception {
    StreamExecutionEnvironment env = environment(parallelism);
    JobConfig config = config(topic, parallelism, true);
    FlowmonJob.configure(env, config);
    DataStream<WindowResult> windows =
        WindowPipeline.windows(FlowPipeline.flows(env, config), config, analyses);
    Map<String, Map<Long, String>> results = new TreeMap<>();
    try (CloseableIterator<WindowResult> iterator = windows.executeAndCollect()) {
      while (iterator.hasNext()) {
        put(results, iterator.next());
      }
    }
    return results;
  }

  private static void put(Map<String, Map<Long, String>> results, WindowResult result) {
    String twice =
        results
            .computeIfAbsent(result.analysis(), name -> new TreeMap<>())
            .put(result.windowEnd(), BruteForce.describe(result));
    assertTrue(twice == null || result.update() > 0, "a window has one result, then revised ones");
  }

  private static void assertExact(
      List<TestFlow> flows, Map<String, Map<Long, String>> results, String seed) {
    for (AnalysisConfig analysis : BOTH) {
      assertEquals(
          expected(analysis, flows), results.get(analysis.name()), seed + ", " + analysis.name());
    }
  }

  private static Map<Long, String> expected(AnalysisConfig analysis, List<TestFlow> flows) {
    AnalysisConfig.Live live = analysis.live();
    return BruteForce.windows(
        flows, live.windowMicros(), live.slideMicros(), live.latenessMicros(), 10);
  }

  private static StreamExecutionEnvironment environment(int parallelism) {
    return LocalFlink.environment(parallelism, LocalFlink.restarts(2));
  }

  private static JobConfig config(String topic, int parallelism, boolean bounded) {
    return config(topic, parallelism, bounded, 1000);
  }

  private static JobConfig config(
      String topic, int parallelism, boolean bounded, int checkpointMillis) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: %s}
        job:
          role: analyses
          parallelism: %d
          max_parallelism: 16
          checkpoint_interval: %dms
          checkpoint_directory: %s
          disorder_bound: 0s
          bounded: %b
        """
            .formatted(
                kafka.bootstrap(),
                topic,
                parallelism,
                checkpointMillis,
                directory.resolve("checkpoints").toUri(),
                bounded));
  }

  private static String topic(String name) throws Exception {
    kafka.createTopic(name, PARTITIONS);
    return name;
  }

  private static void produce(String topic, List<TestFlow> flows, boolean withFaults)
      throws Exception {
    FlowSender sender = new FlowSender(kafka, topic, PARTITIONS);
    sender.withFaults = withFaults;
    sender.send(flows);
    sender.end();
  }
}
