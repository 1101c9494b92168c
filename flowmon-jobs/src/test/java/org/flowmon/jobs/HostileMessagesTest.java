package org.flowmon.jobs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.Future;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Any message in the topic of flows is possible: the job goes on and counts it. */
class HostileMessagesTest {
  private static final String QUARANTINE = "flowmon.quarantine";
  private static final int PARTITIONS = 2;
  private static final int ROWS = 40;
  private static final int HOSTILE = 900;
  private static final long SEED = 20261123;
  private static final long YEAR_2100 = 4_102_444_800L * TestFlow.SECOND;

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
  void theJobGoesOnAndEveryFlowIsStoredOrCounted() throws Exception {
    String topic = "hostile";
    kafka.createTopic(topic, PARTITIONS);
    sendAmongGoodOnes(topic);
    StreamExecutionEnvironment env = LocalFlink.environment(2, LocalFlink.restarts(0));
    AnalysisConfig talkers = TestAnalyses.talkers("hostile", "2s", "2s", "1s", 64, 10);
    FlowmonJob.build(env, config(topic, "all"), List.of(talkers));
    env.execute("hostile");

    Map<String, Long> stored = storedUids();
    for (int i = 0; i < HOSTILE * ROWS; i++) {
      assertEquals(1L, stored.get("good" + i), "good flow " + i + ", seed " + SEED);
    }
    List<ConsumerRecord<byte[], byte[]>> refused = kafka.records(QUARANTINE);
    assertTrue(refused.size() > HOSTILE / 10, refused.size() + " refused");
    assertTrue(refused.size() < HOSTILE, refused.size() + " refused");
    long all = stored.values().stream().mapToLong(n -> n).sum();
    // Every hostile batch is stored with its rows or in quarantine.
    assertEquals((2L * HOSTILE - refused.size()) * ROWS, all, "seed " + SEED);
    assertCommittedWithoutGaps();
  }

  /**
   * Sends good batches of one producer for each partition, and after each one a batch of a
   * stranger.
   */
  private static void sendAmongGoodOnes(String topic) throws Exception {
    Random random = new Random(SEED);
    List<Future<?>> sent = new ArrayList<>();
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (int b = 0; b < HOSTILE; b++) {
        int partition = b % PARTITIONS;
        int number = b / PARTITIONS;
        long arrival = TestFlow.START + b * 50_000L;
        byte[] good = batch("good", b, arrival, partition, number);
        byte[] hostile = batch("evil", b, arrival, random.nextLong(), number);
        int at = random.nextInt(hostile.length);
        hostile[at] ^= (byte) (1 + random.nextInt(255));
        sent.add(producer.send(new ProducerRecord<>(topic, partition, null, good)));
        sent.add(producer.send(new ProducerRecord<>(topic, partition, null, hostile)));
      }
      for (Future<?> each : sent) {
        each.get();
      }
    }
  }

  private static byte[] batch(String name, int number, long arrival, long producer, long sequence) {
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    Random random = new Random(SEED + number);
    for (int row = 0; row < ROWS; row++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, arrival + row);
      builder.set(FlowColumn.END_TIME, arrival - random.nextInt(100_000));
      builder.set(FlowColumn.OUTGOING, row & 1);
      builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A00_0000 + random.nextInt(300));
      builder.set(FlowColumn.BYTES, random.nextInt(100_000));
      if (row % 3 > 0) {
        builder.set(FlowColumn.PACKETS, 1 + random.nextInt(100));
        builder.set(FlowColumn.STATE, 1 + random.nextInt(13));
      }
      builder.setText(FlowColumn.UID, name + (number * ROWS + row));
      builder.endRow();
    }
    return builder.build(producer, sequence, (sequence + 1) * ROWS, 0);
  }

  private static Map<String, Long> storedUids() throws Exception {
    try (Archive archive = Archive.open(directory.resolve("archive"));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      ResultTable table =
          ArchiveQuery.run(
                  snapshot,
                  QueryParser.parse(
                      "SELECT COALESCE(uid, 'none') AS u, COUNT(*) AS n FROM flows GROUP BY u"),
                  QueryOptions.DEFAULTS)
              .table();
      Map<String, Long> stored = new HashMap<>();
      for (int row = 0; row < table.rowCount(); row++) {
        stored.put(table.text(row, 0), table.longValue(row, 1));
      }
      return stored;
    }
  }

  /** Checks that refused messages are in the archive's ranges: nothing is missing. */
  private static void assertCommittedWithoutGaps() throws Exception {
    try (Archive archive = Archive.open(directory.resolve("archive"));
        ArchiveSnapshot snapshot = archive.snapshot()) {
      assertEquals(List.of(), snapshot.gaps());
      assertEquals(PARTITIONS, snapshot.committedEnds().size());
      snapshot
          .committedEnds()
          .forEach((key, end) -> assertEquals(2L * HOSTILE / PARTITIONS, end, key));
    }
  }

  @Test
  void arrivalsInTheYear2100AndRefusedMessagesChangeNoResult() throws Exception {
    String topic = "future";
    kafka.createTopic(topic, PARTITIONS);
    List<TestFlow> flows = TestFlow.random(36, 20_000, 30, 300);
    FlowSender sender = new FlowSender(kafka, topic, PARTITIONS);
    List<TestFlow> future =
        List.of(new TestFlow(YEAR_2100, YEAR_2100, flows.get(0).source(), 1, Boolean.FALSE));
    for (int part = 0; part < 10; part++) {
      sender.send(flows.subList(part * 2_000, part * 2_000 + 2_000));
      try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
        for (int partition = 0; partition < PARTITIONS; partition++) {
          for (byte[] value :
              List.of(
                  TestFlow.batch(future, 900 + part, 0, 1),
                  Heartbeat.of(950 + part, 0, 0, 0, YEAR_2100),
                  Heartbeat.endOfInput(970 + part, 0, 0, 0, YEAR_2100),
                  "none at all".getBytes(StandardCharsets.UTF_8))) {
            producer.send(new ProducerRecord<>(topic, partition, null, value)).get();
          }
        }
      }
    }
    sender.end();
    AnalysisConfig talkers = TestAnalyses.talkers("future", "2s", "2s", "1s", 64, 10);
    StreamExecutionEnvironment env = LocalFlink.environment(2, LocalFlink.restarts(0));
    JobConfig config = config(topic, "analyses");
    FlowmonJob.configure(env, config);
    Map<Long, String> results = new TreeMap<>();
    try (CloseableIterator<WindowResult> iterator =
        WindowPipeline.windows(FlowPipeline.flows(env, config), config, List.of(talkers))
            .executeAndCollect()) {
      while (iterator.hasNext()) {
        WindowResult result = iterator.next();
        results.put(result.windowEnd(), BruteForce.describe(result));
      }
    }
    AnalysisConfig.Live live = talkers.live();
    assertEquals(
        BruteForce.windows(
            flows, live.windowMicros(), live.slideMicros(), live.latenessMicros(), 10),
        results,
        "seed 36");
  }

  private static JobConfig config(String topic, String role) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: %s}
        archive: {directory: %s}
        job:
          role: %s
          parallelism: 2
          max_parallelism: 16
          checkpoint_interval: 200ms
          checkpoint_directory: %s
          bounded: true
        """
            .formatted(
                kafka.bootstrap(),
                topic,
                directory.resolve("archive"),
                role,
                directory.resolve("checkpoints").toUri()));
  }
}
