package org.flowmon.jobs;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import org.apache.flink.configuration.CheckpointingOptions;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.configuration.MemorySize;
import org.apache.flink.configuration.RestartStrategyOptions;
import org.apache.flink.configuration.StateRecoveryOptions;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.core.execution.SavepointFormatType;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.Heartbeat;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;

/**
 * The job of the savepoints under {@code src/test/resources/savepoints}: its analyses, its messages
 * in their order, and its stop between them. {@link #main} makes a savepoint of the classes on the
 * class path, one file with the state inline:
 *
 * <pre>
 *   java -cp … org.flowmon.jobs.GoldenSavepoint src/test/resources/savepoints/savepoint-DATE.gz
 * </pre>
 *
 * An existing one is never made again. With classes of an earlier commit the imports need a look.
 */
final class GoldenSavepoint {
  static final int PARTITIONS = 2;
  static final int SECONDS = 60;

  /** The savepoint lies after the flows of so many seconds. */
  static final int STOP = 30;

  static final List<TestFlow> FLOWS = TestFlow.random(20261125, 3000, SECONDS, 40);

  private static final int ROWS = 25;
  private static final long PRODUCER = 100;
  // A topic has a random id: the length, the id and the partition of a source key.
  private static final Pattern SOURCE_KEY = Pattern.compile("\0\u0018([\\w-]{22}):([0-9])");

  private GoldenSavepoint() {}

  /**
   * The texts of the analyses by name: sums and an alert, states of functions, a function whose
   * default has changed since 2026-11-25, groups of groups.
   */
  static Map<String, String> analyses() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put(
        "talkers",
        TestAnalyses.text("talkers", "4s", "4s", "1s", 16, "", 10)
            + """
            sinks: [kafka]
            alerts:
              - {name: large, when: 'bytes > 150000', key: [src_addr], for: 8s, silence: 4s}
            """);
    texts.put(
        "functions",
        """
        name: functions
        live:
          query: SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS bytes, MIN(bytes) AS least,
            MAX(end_time) AS last, AVG(bytes) AS mean, STDDEV(bytes) AS deviation,
            QUANTILE(QUANTILES(bytes, 0), 0.9) AS p90, COUNT(QUANTILES(bytes)) AS n,
            CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS peers,
            CARDINALITY(DISTINCT_SAMPLE(bytes)) AS sizes
            FROM flows GROUP BY src_addr ORDER BY bytes DESC LIMIT 10
          window: 6s
          slide: 2s
          lateness: 1s
          slots: 16
        report: {logic: live}
        sinks: [kafka]
        """);
    texts.put(
        "heavy",
        """
        name: heavy
        live:
          query: SELECT src_addr, SUM(bytes) AS bytes, TOP(HEAVY_HITTERS(dst_addr, bytes), 3) AS top
            FROM flows GROUP BY src_addr ORDER BY bytes DESC LIMIT 10
          window: 4s
          lateness: 1s
          slots: 16
        report: {logic: live}
        sinks: [kafka]
        """);
    texts.put(
        "nested",
        """
        name: nested
        live:
          query: SELECT src_addr, COUNT(DISTINCT dst_addr, bytes) AS targets, SUM(bytes) AS bytes
            FROM flows WHERE bytes > 1000 GROUP BY src_addr ORDER BY targets DESC LIMIT 10
          window: 10s
          lateness: 1s
          slots: 16
        report: {logic: live}
        sinks: [kafka]
        """);
    return texts;
  }

  /** Batches of the flows of some seconds, as messages. */
  static List<ProducerRecord<byte[], byte[]>> messages(String topic, int from, int to) {
    int perSecond = FLOWS.size() / SECONDS;
    List<ProducerRecord<byte[], byte[]>> messages = new ArrayList<>();
    for (int row = from * perSecond; row < to * perSecond; row += ROWS) {
      int batch = row / ROWS;
      int partition = batch % PARTITIONS;
      long sequence = batch / PARTITIONS;
      byte[] value =
          TestFlow.batch(
              FLOWS.subList(row, row + ROWS),
              PRODUCER + partition,
              sequence,
              (sequence + 1) * ROWS,
              0,
              GoldenSavepoint::setPeer);
      messages.add(new ProducerRecord<>(topic, partition, null, value));
    }
    return messages;
  }

  private static void setPeer(FlowBatchBuilder builder, TestFlow flow) {
    builder.setAddress(
        FlowColumn.DST_ADDR, IpAddress.ofIpv4(0xC000_0200 + (int) (flow.bytes() % 50)));
  }

  /** Heartbeats that close all windows. */
  static List<ProducerRecord<byte[], byte[]>> end(String topic) {
    List<ProducerRecord<byte[], byte[]>> messages = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      long sequence = FLOWS.size() / ROWS / PARTITIONS;
      byte[] beat =
          Heartbeat.of(
              PRODUCER + partition,
              sequence,
              sequence * ROWS,
              0,
              TestFlow.START + 2 * SECONDS * TestFlow.SECOND);
      messages.add(new ProducerRecord<>(topic, partition, null, beat));
    }
    return messages;
  }

  static void send(TestKafka kafka, List<ProducerRecord<byte[], byte[]>> messages)
      throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (ProducerRecord<byte[], byte[]> message : messages) {
        producer.send(message).get(); // one after the other: offsets are the same in each run
      }
    }
  }

  /** Starts the job, from a savepoint unless it is empty. */
  static JobClient start(TestKafka kafka, String topic, int parallelism, String savepoint)
      throws Exception {
    Configuration options = new Configuration();
    options.set(CheckpointingOptions.FS_SMALL_FILE_THRESHOLD, MemorySize.ofMebiBytes(1));
    options.set(RestartStrategyOptions.RESTART_STRATEGY, "none");
    if (!savepoint.isEmpty()) {
      options.set(StateRecoveryOptions.SAVEPOINT_PATH, savepoint);
    }
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism, options);
    List<AnalysisConfig> analyses = new ArrayList<>();
    analyses().forEach((name, text) -> analyses.add(AnalysisConfig.parse(name + ".yaml", text)));
    FlowmonJob.build(env, config(kafka, topic, parallelism), analyses);
    return env.executeAsync("golden");
  }

  static JobConfig config(TestKafka kafka, String topic, int parallelism) {
    return JobConfig.parse(
        "golden.yaml",
        """
        kafka: {bootstrap: '%s', topic: %s}
        job:
          role: analyses
          parallelism: %d
          max_parallelism: 8
          checkpoint_interval: 100ms
          disorder_bound: 0s
        """
            .formatted(kafka.bootstrap(), topic, parallelism));
  }

  /** Runs up to the savepoint, and returns its folder. */
  static Path run(TestKafka kafka, String topic, Path folder) throws Exception {
    kafka.createTopic(topic, PARTITIONS);
    send(kafka, messages(topic, 0, STOP));
    JobClient job = start(kafka, topic, 2, "");
    while (kafka.messages("flowmon.reports.talkers").stream()
        .noneMatch(message -> message.getKey().contains(endOfTalkers(STOP - 2)))) {
      Thread.sleep(20); // bounded by the test's limit
    }
    Thread.sleep(500); // the other analyses' windows, and some checkpoints
    return Path.of(
        URI.create(
            job.stopWithSavepoint(false, folder.toUri().toString(), SavepointFormatType.NATIVE)
                .get()));
  }

  /** The end of the window of talkers that closes by a second, as it stands in a message's key. */
  static String endOfTalkers(int second) {
    long width = 4 * TestFlow.SECOND;
    long end = Math.floorDiv(TestFlow.START + second * TestFlow.SECOND, width) * width;
    return Instant.ofEpochSecond(end / TestFlow.SECOND).toString();
  }

  /** Unpacks a golden file for a topic of another id; returns the savepoint's folder. */
  static Path unpack(InputStream golden, Path folder, String topicId) throws IOException {
    String metadata;
    try (InputStream unpacked = new GZIPInputStream(golden)) {
      metadata = new String(unpacked.readAllBytes(), StandardCharsets.ISO_8859_1);
    }
    Matcher key = SOURCE_KEY.matcher(metadata);
    String moved = key.replaceAll(found -> "\0\u0018" + topicId + ":" + found.group(2));
    if (moved.equals(metadata)) {
      throw new IOException("no position of a producer in the savepoint");
    }
    Files.createDirectories(folder);
    Files.write(folder.resolve("_metadata"), moved.getBytes(StandardCharsets.ISO_8859_1));
    return folder;
  }

  static byte[] pack(Path savepoint) throws IOException {
    try (var files = Files.list(savepoint)) {
      List<Path> all = files.toList();
      if (!all.equals(List.of(savepoint.resolve("_metadata")))) {
        throw new IOException("a savepoint of more than one file: " + all);
      }
    }
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream gzip = new GZIPOutputStream(packed)) {
      gzip.write(Files.readAllBytes(savepoint.resolve("_metadata")));
    }
    return packed.toByteArray();
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("golden");
    try (TestKafka kafka = new TestKafka(folder.resolve("kafka"))) {
      Files.write(Path.of(arguments[0]), pack(run(kafka, "golden", folder.resolve("savepoints"))));
    }
    System.exit(0);
  }
}
