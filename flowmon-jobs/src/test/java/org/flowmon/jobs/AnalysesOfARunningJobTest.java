package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.control.ControlStatus;
import org.flowmon.jobs.control.ControlTopic;
import org.flowmon.jobs.control.RunningAnalyses;
import org.flowmon.jobs.merge.WindowResult;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Analyses start, change and stop by the control topic while the job runs. */
class AnalysesOfARunningJobTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final long SEED = 51;
  private static final int PARTITIONS = 3;
  private static final AnalysisConfig BASE = TestAnalyses.talkers("base", "2s", "2s", "1s", 64, 10);
  private static final List<TestFlow> FLOWS = TestFlow.random(SEED, 60_000, 60, 300);

  private static TestKafka kafka;
  @TempDir private static Path directory;

  // by analysis and window's end
  private final Map<String, Map<Long, String>> results = new ConcurrentHashMap<>();

  @BeforeAll
  static void startKafka() throws Exception {
    kafka = new TestKafka(directory.resolve("kafka"));
  }

  @AfterAll
  static void stopKafka() {
    kafka.close();
  }

  /** The flows of some seconds. */
  private static List<TestFlow> seconds(int from, int to) {
    return FLOWS.subList(from * 1000, to * 1000);
  }

  private static String late(int limit) {
    return TestAnalyses.text("late", "2s", "2s", "1s", 64, "", limit);
  }

  @Test
  void whatComesHasWholeWindowsOnlyAndTheOthersDoNotNotice() throws Exception {
    kafka.createTopic("flows", PARTITIONS);
    FlowSender sender = new FlowSender(kafka, "flows", PARTITIONS);
    ControlTopic control = new ControlTopic(config("flows", 2).kafka());
    sender.send(seconds(0, 10));
    String savepoint;
    try (Running job = new Running("flows", 2, null)) {
      awaitResult("base", 6);
      long change = control.send("late", late(10));
      assertTaken(change, "late");
      RunningAnalyses running = ControlStatus.read(config("flows", 1).kafka()).running();
      assertEquals(
          List.of(
              RunningAnalyses.Running.of(BASE, 0),
              RunningAnalyses.Running.of(AnalysisConfig.parse("late", late(10)), change)),
          running.analyses());
      sender.send(seconds(10, 20));
      awaitResult("late", 16);

      assertRefused(control, "other", "name: other\nlive: {query: SELECT}\n", "other");
      assertRefused(control, "nested", "x: " + "[".repeat(50_000), "nested too deeply");
      assertRefused(
          control,
          "large",
          late(10).replace("name: late", "name: large").replace("slots: 64", "groups: 70000000"),
          "live.groups: does not fit: the job's analyses may have 64000000 groups together"
              + " (job.groups), the others have 2000000, and this one would have 70000000");
      assertRefused(control, "nobody", null, "there is no analysis nobody to be removed");
      assertRefused(
          control,
          "loaded",
          late(10).replace("name: late", "name: loaded").replace("logic: live", "logic: x.Y"),
          "x.Y");
      savepoint = job.stop();
    }
    // At another parallelism, with further changes while the job is stopped and after.
    control.send("between", TestAnalyses.text("between", "2s", "2s", "1s", 64, "", 7));
    try (Running job = new Running("flows", 3, savepoint)) {
      sender.send(seconds(20, 30));
      awaitResult("late", 26);
      awaitResult("between", 26);
      assertTaken(control.send("late", late(3)), "late");
      sender.send(seconds(30, 40));
      awaitResult("late", 36);
      assertTaken(control.send("late", null), "late");
      assertFalse(ControlStatus.read(config("flows", 1).kafka()).running().has("late"));
      sender.send(seconds(40, 50));
      awaitResult("base", 46);
      // The definition of the beginning again.
      assertTaken(control.send("late", late(10)), "late");
      sender.send(seconds(50, 60));
      sender.end();
      awaitResult("base", 60);
      awaitResult("between", 60);
      awaitResult("late", 60);
      job.stop();
    }
    Map<Long, String> ten = expected(10);
    Map<Long, String> three = expected(3);
    assertEquals(ten, results.get("base"), "seed " + SEED);

    Map<Long, String> late = results.get("late");
    Map<Long, String> first = between(late, 0, 30);
    assertFirst(first, 6);
    assertTrue(first.containsKey(TestFlow.START + 26 * SECOND));
    assertEquals(between(ten, first(first), last(first)), first, "without a gap, savepoint or not");
    Map<Long, String> changed = between(late, 32, 40);
    assertFirst(changed, 26);
    assertEquals(between(three, first(changed), last(changed)), changed);
    Map<Long, String> again = between(late, 44, 60);
    assertFirst(again, 46);
    assertEquals(between(ten, first(again), 60), again);

    Map<Long, String> between = between(results.get("between"), 0, 60);
    assertFirst(between, 16);
    assertEquals(between(expected(7), first(between), 60), between);
  }

  @Test
  void whatTheTopicSaysAtTheStartRunsFromTheFirstFlow() throws Exception {
    kafka.createTopic("started", PARTITIONS);
    ControlTopic control = new ControlTopic(config("started", 2).kafka());
    control.createIfMissing();
    control.send("late", late(10));
    control.send("base", null);
    long refused =
        control.send(
            "loaded",
            late(10).replace("name: late", "name: loaded").replace("logic: live", "logic: x.Y"));
    FlowSender sender = new FlowSender(kafka, "started", PARTITIONS);
    sender.send(seconds(0, 10));
    sender.end();
    try (Running job = new Running("started", 2, null)) {
      awaitResult("late", 10);
      ControlStatus.Said said = ControlStatus.read(config("started", 2).kafka());
      assertFalse(said.running().has("loaded"));
      assertEquals(refused, said.running().read(), "so that it is known to be refused");
      assertTrue(said.outcomes().get("loaded").message().contains("x.Y"), "and why");
      job.stop();
    }
    assertEquals(expected(seconds(0, 10), 10), results.get("late"));
    assertFalse(results.containsKey("base"), "the topic removed what the folder names");
  }

  private static void assertFirst(Map<Long, String> windows, int seconds) {
    assertTrue(
        first(windows) > seconds, "flows until " + seconds + " s came before, found " + windows);
  }

  private static int first(Map<Long, String> windows) {
    return second(((TreeMap<Long, String>) windows).firstKey());
  }

  private static int last(Map<Long, String> windows) {
    return second(((TreeMap<Long, String>) windows).lastKey());
  }

  private static int second(long end) {
    return (int) ((end - TestFlow.START) / SECOND);
  }

  /** Returns the windows that end within some seconds, both included. */
  private static Map<Long, String> between(Map<Long, String> windows, int from, int to) {
    Map<Long, String> part = new TreeMap<>();
    windows.forEach(
        (end, text) -> {
          if (second(end) >= from && second(end) <= to) {
            part.put(end, text);
          }
        });
    return part;
  }

  private static Map<Long, String> expected(int limit) {
    return expected(FLOWS, limit);
  }

  private static Map<Long, String> expected(List<TestFlow> flows, int limit) {
    return BruteForce.windows(flows, 2 * SECOND, 2 * SECOND, SECOND, limit);
  }

  private static void assertRefused(
      ControlTopic control, String analysis, String text, String expected) {
    ControlStatus.Outcome refused = outcome(analysis, control.send(analysis, text));
    assertTrue(refused.isRefused());
    assertTrue(refused.message().contains(expected), refused.message());
  }

  private static void assertTaken(long version, String analysis) {
    assertFalse(outcome(analysis, version).isRefused());
  }

  private static ControlStatus.Outcome outcome(String analysis, long version) {
    return ControlStatus.await(config("flows", 1).kafka(), analysis, version, Duration.ofMinutes(3))
        .orElseThrow();
  }

  private void awaitResult(String analysis, int seconds) throws Exception {
    long end = TestFlow.START + seconds * SECOND;
    await(() -> results.containsKey(analysis) && results.get(analysis).containsKey(end));
  }

  private static void await(BooleanSupplier condition) throws Exception {
    while (!condition.getAsBoolean()) {
      Thread.sleep(10); // bounded by the test's timeout
    }
  }

  /** A job with its results in {@link #results}. */
  private final class Running implements AutoCloseable {
    private final JobClient client;
    private final CloseableIterator<WindowResult> iterator;
    private final Thread reader;
    private boolean stopped;

    Running(String topic, int parallelism, String savepoint) throws Exception {
      Configuration options = new Configuration();
      if (savepoint != null) {
        options.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
        // the collector of results has no state
        options.set(StateRecoveryOptions.SAVEPOINT_IGNORE_UNCLAIMED_STATE, true);
      }
      StreamExecutionEnvironment env = LocalFlink.environment(parallelism, options);
      JobConfig config = config(topic, parallelism);
      FlowmonJob.configure(env, config);
      DataStream<WindowResult> windows =
          WindowPipeline.controlledWindows(FlowPipeline.flows(env, config), config, List.of(BASE));
      iterator = windows.collectAsync();
      client = env.executeAsync("analyses of a running job");
      reader = new Thread(this::read, "results");
      reader.start();
    }

    private void read() {
      try {
        while (iterator.hasNext()) {
          WindowResult result = iterator.next();
          if (result.isAnnouncement()) {
            continue;
          }
          results
              .computeIfAbsent(result.analysis(), name -> new ConcurrentSkipListMap<>())
              .put(result.windowEnd(), BruteForce.describe(result));
        }
      } catch (RuntimeException e) {
        // the job has ended
      }
    }

    String stop() throws Exception {
      stopped = true;
      return client
          .stopWithSavepoint(
              false, directory.resolve("savepoints").toUri().toString(), SavepointFormatType.NATIVE)
          .get();
    }

    @Override
    public void close() throws Exception {
      if (!stopped) {
        client.cancel().get();
      }
      iterator.close();
      reader.join();
    }
  }

  private static JobConfig config(String topic, int parallelism) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: %s, analyses_topic: %s.analyses}
        job:
          role: analyses
          parallelism: %d
          max_parallelism: 16
          checkpoint_interval: 200ms
          checkpoint_directory: %s
          disorder_bound: 0s
        """
            .formatted(
                kafka.bootstrap(),
                topic,
                topic,
                parallelism,
                directory.resolve("checkpoints").toUri()));
  }
}
