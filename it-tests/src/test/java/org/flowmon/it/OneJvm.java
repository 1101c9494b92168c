package org.flowmon.it;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.apache.flink.api.common.JobID;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.deploy.embedded.EmbeddedFlink;
import org.flowmon.ingest.file.FlowFiles;
import org.flowmon.ingest.file.reader.FileReadOptions;
import org.flowmon.ingest.publish.FlowPublisher;
import org.flowmon.ingest.publish.FlowTopics;
import org.flowmon.ingest.publish.PublisherOptions;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;

/** Broker and Flink in this JVM: files go into a topic, the job runs over it and ends. */
final class OneJvm implements AutoCloseable {
  static final int PARTITIONS = 3;

  private final EmbeddedKafka kafka;
  private final EmbeddedFlink flink;

  private OneJvm(EmbeddedKafka kafka, EmbeddedFlink flink) {
    this.kafka = kafka;
    this.flink = flink;
  }

  static OneJvm start(Path folder) {
    return new OneJvm(
        EmbeddedKafka.start(folder.resolve("kafka")),
        EmbeddedFlink.start(folder.resolve("flink"), 2));
  }

  String bootstrap() {
    return kafka.bootstrapServers();
  }

  /**
   * Publishes files, one after the other, by the readers that {@code flowmon import} uses.
   *
   * @return flows published
   */
  static long publish(String bootstrap, String topic, List<Path> files) throws IOException {
    FlowTopics.ensure(bootstrap, topic, PARTITIONS);
    long flows = 0;
    long last = Long.MIN_VALUE;
    FileReadOptions options = FileReadOptions.defaults();
    try (FlowPublisher publisher =
        FlowPublisher.open(PublisherOptions.of(bootstrap).withTopic(topic).withBatchRows(200))) {
      for (Path file : files) {
        var summary = FlowFiles.open(file, options).read(publisher);
        flows += summary.rows();
        last = Math.max(last, summary.lastArrival());
      }
      publisher.endOfFile(last);
    }
    return flows;
  }

  /** Runs the whole job over what the topic holds, to its end. */
  void run(String topic, Path archive, int parallelism, AnalysisConfig... analyses) {
    StreamExecutionEnvironment env = StreamExecutionEnvironment.createLocalEnvironment(parallelism);
    FlowmonJob.build(env, config(bootstrap(), topic, archive, parallelism), List.of(analyses));
    JobID job = flink.submit(env, topic);
    flink.awaitEnd(job, Duration.ofMinutes(3));
  }

  static JobConfig config(String bootstrap, String topic, Path archive, int parallelism) {
    return JobConfig.parse(
        "test",
        String.join(
            "\n",
            "kafka: {bootstrap: '" + bootstrap + "', topic: " + topic + "}",
            "archive: {directory: '" + archive + "'}",
            "job: {role: all, bounded: true, checkpoint_interval: 1s, parallelism: "
                + parallelism
                + "}"));
  }

  /** Everything in a topic, in the order of each partition. */
  static List<ConsumerRecord<String, String>> read(String bootstrap, String topic) {
    Properties properties = new Properties();
    properties.putAll(Map.of("bootstrap.servers", bootstrap, "auto.offset.reset", "earliest"));
    List<ConsumerRecord<String, String>> records = new ArrayList<>();
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(properties, new StringDeserializer(), new StringDeserializer())) {
      List<TopicPartition> partitions = new ArrayList<>();
      for (PartitionInfo info : consumer.partitionsFor(topic)) {
        partitions.add(new TopicPartition(topic, info.partition()));
      }
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = consumer.endOffsets(partitions);
      while (partitions.stream().anyMatch(p -> consumer.position(p) < ends.get(p))) {
        consumer.poll(Duration.ofMillis(200)).forEach(records::add);
      }
    }
    return records;
  }

  /** The answer of a query over an archive. */
  static ResultTable query(Path directory, String sql) throws IOException {
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      return ArchiveQuery.run(snapshot, QueryParser.parse(sql), QueryOptions.DEFAULTS).table();
    }
  }

  /** The elephants analysis with its history, in windows of a test's choice. */
  static AnalysisConfig elephants(String name, String window, String lateness) {
    return AnalysisConfig.parse(name + ".yaml", elephantsYaml(name, window, lateness));
  }

  /** The text of {@link #elephants}, for the folder of a job's analyses. */
  static String elephantsYaml(String name, String window, String lateness) {
    return String.join(
        "\n",
        "name: " + name,
        "extends: elephants",
        "live:",
        "  revisions: null",
        "  query: SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE"
            + " GROUP BY src_addr ORDER BY bytes DESC LIMIT 20",
        "  window: " + window,
        "  lateness: " + lateness,
        "  slots: 64", // so small that groups are evicted all the time
        "history:",
        "  query: SELECT src_addr, SUM(bytes) AS bytes, DAYS_BEFORE(end_time, :now) AS day FROM"
            + " flows WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 7) GROUP BY"
            + " src_addr, DAYS_BEFORE(end_time, :now)",
        "  timeout: 60s",
        "sinks: [kafka]");
  }

  @Override
  public void close() {
    flink.close();
    kafka.close();
  }
}
