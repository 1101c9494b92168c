package org.flowmon.jobs.offered;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.FailOnce;
import org.flowmon.jobs.FlowPipeline;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestKafka;
import org.flowmon.jobs.WindowPipeline;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.examples.ExamplePage;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.source.PositionedBatch;

/** A topic of Kafka with planted traffic and the examples' flows, archived by a job. */
final class ArchivedTopic implements AutoCloseable {
  static final long SEED = 20_261_123;
  static final long END = 1_795_262_400L * Program.SECOND; // 2026-11-21T12:00:00Z
  static final Duration DELAY = Duration.ofSeconds(20);
  static final Duration DISORDER = Duration.ZERO;

  private static final String TOPIC = "flows";
  private static final int PARTITIONS = 4;

  private final Path directory;
  private final TestKafka kafka;
  private final List<Future<?>> acknowledged = new ArrayList<>();
  private final long[] sequence = new long[PARTITIONS];
  private final long[] cumulative = new long[PARTITIONS];

  ArchivedTopic(Path directory) throws Exception {
    this.directory = directory;
    this.kafka = new TestKafka(directory.resolve("kafka"));
    kafka.createTopic(TOPIC, PARTITIONS);
    send();
    StreamExecutionEnvironment env = LocalFlink.environment(2);
    FlowmonJob.build(env, config("archive", 2), List.of());
    env.execute("archive");
  }

  /**
   * Sends batches in the order of arrival to three partitions in turn, those of examples to the
   * last.
   */
  private void send() throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      int turn = 0;
      for (FlowBatch batch : PlantedTraffic.batches(SEED, Cells.time(END), 20)) {
        send(producer, turn++ % (PARTITIONS - 1), batch, 0, batch.rows());
      }
      for (FlowBatch batch : ExamplePage.flows()) {
        for (int row = 0; row < batch.rows(); row++) {
          for (int copy = 0; copy < 7; copy++) {
            send(producer, PARTITIONS - 1, batch, row, row + 1);
          }
        }
      }
      for (int partition = 0; partition < PARTITIONS; partition++) {
        long clock = END + 2 * Program.HOUR;
        put(
            producer,
            partition,
            Heartbeat.of(100 + partition, sequence[partition]++, cumulative[partition], 0, clock));
      }
      for (Future<?> each : acknowledged) {
        each.get();
      }
    }
  }

  private void send(
      KafkaProducer<byte[], byte[]> producer, int partition, FlowBatch batch, int from, int to) {
    FlowBatchBuilder builder = new FlowBatchBuilder(to - from);
    for (int row = from; row < to; row++) {
      builder.appendRow(batch, row);
    }
    cumulative[partition] += to - from;
    put(
        producer,
        partition,
        builder.build(100 + partition, sequence[partition]++, cumulative[partition], 0));
  }

  private void put(KafkaProducer<byte[], byte[]> producer, int partition, byte[] value) {
    acknowledged.add(producer.send(new ProducerRecord<>(TOPIC, partition, null, value)));
  }

  /** Returns the configuration of a job that analyses the topic from its beginning to its end. */
  JobConfig config(int parallelism) {
    return config("analyses", parallelism);
  }

  private JobConfig config(String role, int parallelism) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: %s}
        archive: {directory: %s}
        job:
          role: %s
          parallelism: %d
          max_parallelism: 16
          checkpoint_interval: 100ms
          checkpoint_directory: %s
          disorder_bound: 0s
          bounded: true
        """
            .formatted(
                kafka.bootstrap(),
                TOPIC,
                directory.resolve("archive"),
                role,
                parallelism,
                directory.resolve("checkpoints").toUri()));
  }

  /** Returns the windows of a job that fails once. */
  SingleOutputStreamOperator<WindowResult> failingWindows(
      int parallelism, List<AnalysisConfig> analyses) {
    FailOnce.reset();
    StreamExecutionEnvironment env = LocalFlink.environment(parallelism, LocalFlink.restarts(2));
    JobConfig config = config(parallelism);
    FlowmonJob.configure(env, config);
    SingleOutputStreamOperator<PositionedBatch> failing =
        FlowPipeline.flows(env, config)
            .map(new FailOnce())
            .returns(PositionedBatch.TYPE)
            .setParallelism(Math.min(parallelism, PARTITIONS));
    return WindowPipeline.windows(failing, config, analyses);
  }

  void requireAFailure() {
    assertEquals(1, FailOnce.failures(), "the case needs a failure");
  }

  @Override
  public void close() {
    kafka.close();
  }
}
