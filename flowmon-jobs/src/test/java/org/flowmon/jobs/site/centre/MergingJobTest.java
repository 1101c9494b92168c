package org.flowmon.jobs.site.centre;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ExecutionException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.BruteForce;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestAnalyses;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.TestKafka;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.sink.kafka.KafkaReports;
import org.flowmon.jobs.site.Publication;
import org.flowmon.jobs.site.SitePublisher;
import org.flowmon.jobs.site.StatesMessage;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The merging job as it is built and submitted: from sites' messages in Kafka to reports there. */
class MergingJobTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final long SEED = 61;
  private static final List<String> SITES = List.of("berlin", "graz", "vienna");
  private static final List<TestFlow> FLOWS = TestFlow.random(SEED, 12_000, 30, 100);
  private static final int SECONDS = 40;

  private static final LiveQuery PUBLISHED =
      LiveQuery.of(
          AnalysisConfig.parse(
              "p.yaml",
              """
              name: p
              live:
                query: |
                  SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS bytes FROM flows
                  WHERE outgoing IS NOT TRUE GROUP BY src_addr
                window: 2s
                lateness: 2s
              report: {logic: states}
              """));

  @TempDir private Path directory;
  private TestKafka kafka;

  @BeforeEach
  void startKafka() throws Exception {
    kafka = new TestKafka(directory.resolve("kafka"));
  }

  @AfterEach
  void stopKafka() {
    kafka.close();
  }

  /**
   * Returns the analyses of a run, under names of its own: their reports have topics of their own.
   */
  private static List<AnalysisConfig> analyses(String run) {
    String more = "sinks: [kafka]\nalerts: [{name: much, when: 'bytes > 60000', sinks: [kafka]}]\n";
    return List.of(
        AnalysisConfig.parse(
            "t.yaml",
            TestAnalyses.text(run + "_tumbling", "2s", "2s", "2s", 64, "", 10)
                + "sinks: [kafka]\n"),
        AnalysisConfig.parse(
            "s.yaml", TestAnalyses.text(run + "_sliding", "6s", "2s", "2s", 64, "", 10) + more));
  }

  private JobConfig config(String topic, boolean bounded) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', analyses_topic: none}
        merge: {sites: %s, topic: %s, timeout: 1h}
        job:
          role: analyses
          parallelism: 2
          max_parallelism: 16
          checkpoint_interval: 100ms
          checkpoint_directory: %s
          bounded: %s
        """
            .formatted(
                kafka.bootstrap(),
                SITES,
                topic,
                directory.resolve("checkpoints").toUri(),
                bounded));
  }

  /** Returns a site's final windows, all groups of each, by their ends. */
  private static Map<Long, byte[]> windows(int site) {
    WindowTables tables = new WindowTables(1, PUBLISHED.query(), PUBLISHED.window());
    LowLevelQuery low =
        new LowLevelQuery(
            1,
            PUBLISHED.query(),
            PUBLISHED.window(),
            64,
            1,
            (keyGroup, bytes) -> assertTrue(tables.merge(PartialGroups.open(bytes))));
    List<TestFlow> own = new ArrayList<>();
    for (int i = site; i < FLOWS.size(); i += SITES.size()) {
      own.add(FLOWS.get(i));
    }
    for (FlowBatch batch : TestFlow.batches(own, 50, 1)) {
      low.process(batch);
    }
    low.drainAll();
    List<WindowPart> parts = new ArrayList<>();
    tables.closeUpTo(Long.MAX_VALUE, parts::add);
    Map<Long, byte[]> windows = new TreeMap<>();
    parts.forEach(part -> windows.put(part.windowEnd(), part.toBytes()));
    return windows;
  }

  /**
   * Returns the sites' messages, in the order of the topic: each window in three messages, and a
   * progress each second.
   */
  private static List<byte[]> said() {
    List<byte[]> all = new ArrayList<>();
    List<Map<Long, byte[]>> windows = new ArrayList<>();
    for (int site = 0; site < SITES.size(); site++) {
      windows.add(new TreeMap<>(windows(site)));
    }
    long[] numbers = new long[SITES.size()];
    var published = List.of(SitePublisher.published(PUBLISHED, Long.MIN_VALUE));
    for (int second = -1; second <= SECONDS; second++) {
      long through = TestFlow.START + second * SECOND;
      for (int site = 0; site < SITES.size(); site++) {
        String name = SITES.get(site);
        for (long end : List.copyOf(windows.get(site).keySet())) {
          if (end + 2 * SECOND > through) {
            continue;
          }
          byte[] bytes = windows.get(site).remove(end);
          for (int part = 0; part < 3; part++) {
            int from = part * (bytes.length / 3);
            int to = part == 2 ? bytes.length : from + bytes.length / 3;
            all.add(
                new StatesMessage.Part(
                        site,
                        numbers[site]++,
                        name,
                        Publication.of(PUBLISHED),
                        end,
                        new ArrivalCounts(10, 1, 0, 0),
                        bytes.length,
                        part,
                        3,
                        Arrays.copyOfRange(bytes, from, to))
                    .toBytes());
          }
        }
        all.add(
            new StatesMessage.Progress(
                    site, numbers[site]++, name, second == -1 ? Long.MIN_VALUE : through, published)
                .toBytes());
      }
    }
    windows.forEach(left -> assertTrue(left.isEmpty(), "all windows are final by the end"));
    return all;
  }

  private void say(String topic, List<byte[]> messages) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (byte[] message : messages) {
        producer.send(new ProducerRecord<>(topic, 0, null, message)).get();
      }
    }
  }

  /** Returns the reports of a topic, as key and value, without the run's name. */
  private List<String> read(String topic, String run) {
    return kafka.messages(topic).stream()
        .map(message -> message.getKey() + "\n" + message.getValue())
        .map(text -> run.isEmpty() ? text : text.replace(run + "_", ""))
        .toList();
  }

  private List<String> reports(String run) {
    List<String> all = new ArrayList<>(read(KafkaReports.TOPIC_PREFIX + run + "_tumbling", run));
    all.addAll(read(KafkaReports.TOPIC_PREFIX + run + "_sliding", run));
    return all;
  }

  private static Map<String, String> byKey(List<String> reports) {
    Map<String, String> byKey = new TreeMap<>();
    for (String report : reports) {
      String[] keyAndValue = report.split("\n", 2);
      String before = byKey.put(keyAndValue[0], keyAndValue[1]);
      assertTrue(before == null || before.equals(keyAndValue[1]), "a repeat is the same");
    }
    return byKey;
  }

  private JobClient begin(String run, boolean bounded, String from) throws Exception {
    Configuration options = new Configuration();
    if (from != null) {
      options.set(StateRecoveryOptions.SAVEPOINT_PATH, from);
    }
    StreamExecutionEnvironment env = LocalFlink.environment(2, options);
    FlowmonJob.build(env, config(run, bounded), analyses(run));
    return env.executeAsync(run);
  }

  private static void await(String what, BooleanSupplier done) throws InterruptedException {
    for (int attempt = 0; !done.getAsBoolean(); attempt++) {
      assertNotEquals(600, attempt, what); // a minute and more
      Thread.sleep(100);
    }
  }

  /** Waits for a checkpoint after this many messages: only then does it hold a part of a window. */
  private void awaitRead(String topic, int messages) throws Exception {
    TopicPartition partition = new TopicPartition(topic, 0);
    try (Admin admin = Admin.create(Map.of("bootstrap.servers", kafka.bootstrap()))) {
      await(
          "a checkpoint behind message " + messages,
          () -> {
            try {
              OffsetAndMetadata committed =
                  admin
                      .listConsumerGroupOffsets("flowmon")
                      .partitionsToOffsetAndMetadata()
                      .get()
                      .get(partition);
              return committed != null && committed.offset() == messages;
            } catch (ExecutionException e) {
              return false; // the broker does not know the group yet
            } catch (InterruptedException e) {
              throw new IllegalStateException(e);
            }
          });
    }
  }

  /** Returns the last complete checkpoint, which a cancelled job keeps. */
  private String checkpoint(JobClient job) throws Exception {
    try (Stream<Path> files =
        Files.walk(directory.resolve("checkpoints").resolve(job.getJobID().toHexString()))) {
      return files
          .filter(file -> file.endsWith("_metadata"))
          .map(Path::getParent)
          .max(
              Comparator.comparing(
                  chk -> Integer.valueOf(chk.getFileName().toString().substring(4))))
          .orElseThrow()
          .toUri()
          .toString();
    }
  }

  @Test
  void aJobThatIsStoppedAndRestoredReportsWhatOneThatWasNotReports() throws Exception {
    List<byte[]> all = said();
    kafka.createTopic("once", 1);
    say("once", all);
    begin("once", true, null).getJobExecutionResult().get();
    List<String> expected = reports("once");
    Map<String, String> byKey = byKey(expected);
    assertEquals(expected.size(), byKey.size(), "each once");
    assertExact(byKey);
    assertTrue(expected.stream().noneMatch(report -> report.contains("missing")));

    // The same in thirds, each of which ends between the parts of a window.
    int first = betweenParts(all, all.size() / 3);
    int second = betweenParts(all, 2 * all.size() / 3);
    kafka.createTopic("thirds", 1);
    say("thirds", all.subList(0, first));
    JobClient job = begin("thirds", false, null);
    await("reports of the first third", () -> reports("thirds").size() >= expected.size() / 5);
    awaitRead("thirds", first);
    String savepoint =
        job.stopWithSavepoint(
                false,
                directory.resolve("savepoints").toUri().toString(),
                SavepointFormatType.CANONICAL)
            .get();
    assertTrue(reports("thirds").size() < expected.size() / 2, "stopped in the midst");
    say("thirds", all.subList(first, second));
    job = begin("thirds", false, savepoint);
    await("reports of the second third", () -> reports("thirds").size() >= expected.size() / 2);
    awaitRead("thirds", second);
    List<String> sent = reports("thirds");
    assertEquals(sent.size(), byKey(sent).size(), "each once, as a savepoint forgets nothing");
    job.cancel().get();
    String checkpoint = checkpoint(job);
    say("thirds", all.subList(second, all.size()));
    job = begin("thirds", false, checkpoint);
    await("all reports", () -> byKey(reports("thirds")).size() >= byKey.size());
    job.stopWithSavepoint(
            false,
            directory.resolve("savepoints").toUri().toString(),
            SavepointFormatType.CANONICAL)
        .get();
    assertEquals(byKey, byKey(reports("thirds")), "seed " + SEED);
    assertTrue(alerts("once").size() >= 5, "no alert fired");
    assertEquals(alerts("once"), alerts("thirds"));
  }

  /** Returns the alerts of a run, without their ids, which contain its name. */
  private Set<String> alerts(String run) {
    Set<String> said = new TreeSet<>();
    for (String alert : read(KafkaReports.ALERTS_TOPIC, "")) {
      if (alert.contains(run + "_sliding")) {
        said.add(alert.substring(alert.indexOf("\"state\"")).replace(run + "_", ""));
      }
    }
    return said;
  }

  private static int betweenParts(List<byte[]> messages, int from) {
    for (int i = from; ; i++) {
      if (StatesMessage.open(messages.get(i)) instanceof StatesMessage.Part part
          && part.part() == 1) {
        return i;
      }
    }
  }

  /** Checks that the sums of the first rows are those of the flows, and no window is missing. */
  private static void assertExact(Map<String, String> byKey) {
    for (Map.Entry<String, Long> width : Map.of("tumbling", 2L, "sliding", 6L).entrySet()) {
      Map<Long, String> windows =
          BruteForce.windows(FLOWS, width.getValue() * SECOND, 2 * SECOND, 2 * SECOND, 10);
      long rows = 0;
      for (String window : windows.values()) {
        List<String> lines = window.lines().toList();
        long end = Long.parseLong(lines.get(0).split(" ", -1)[1]);
        for (String line : lines.subList(1, lines.size())) {
          String source = line.substring(0, line.lastIndexOf(' '));
          String key = width.getKey() + "|" + Instant.ofEpochSecond(end / SECOND) + "|" + source;
          String value = byKey.get(key);
          assertTrue(value != null, key + " in " + byKey.keySet());
          String bytes = "\"bytes\":" + line.substring(line.lastIndexOf(' ') + 1);
          assertTrue(value.contains(bytes + ",") || value.contains(bytes + "}"), value);
          rows++;
        }
      }
      long found = byKey.keySet().stream().filter(key -> key.startsWith(width.getKey())).count();
      assertEquals(rows, found, width.getKey() + ", seed " + SEED);
    }
  }
}
