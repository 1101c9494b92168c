package org.flowmon.jobs.sql.batch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.bridge.java.StreamTableEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.TestKafka;
import org.flowmon.jobs.sql.RandomArchive;
import org.flowmon.jobs.sql.SqlSession;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A table of topic flows has the flows that an archive of the same batches has. */
class KafkaTableTest {
  private static final long SEED = 2314;
  private static final String COLUMNS =
      "src_addr, dst_addr, protocol, dst_port, src_as, `bytes`, outgoing, service, end_time,"
          + " arrival";

  @TempDir static Path folder;

  private static TestKafka kafka;
  private static Archive archive;

  @BeforeAll
  static void fill() throws Exception {
    kafka = new TestKafka(folder.resolve("kafka"));
    kafka.createTopic("flows", 2);
    kafka.createTopic("damaged", 1);
    archive = Archive.create(folder.resolve("archive"), ArchiveOptions.DEFAULTS);
    List<FlowBatch> batches = RandomArchive.batches(SEED, 5_000);
    RandomArchive.commit(archive, batches);
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (int i = 0; i < batches.size(); i++) {
        producer.send(new ProducerRecord<>("flows", i % 2, null, batches.get(i).bytes())).get();
      }
      producer.send(new ProducerRecord<>("flows", Heartbeat.of(1, 10, 5_000, 0, 1))).get();
      byte[] damaged = "not a batch".getBytes(StandardCharsets.UTF_8);
      producer.send(new ProducerRecord<>("damaged", damaged)).get();
      producer.send(new ProducerRecord<>("damaged", batches.get(0).bytes())).get();
    }
  }

  @AfterAll
  static void close() {
    archive.close();
    kafka.close();
  }

  private static StreamTableEnvironment flink(EnvironmentSettings mode) {
    StreamTableEnvironment flink = SqlSession.of(archive, mode, 2);
    create(flink, "live", "flows", "");
    return flink;
  }

  private static void create(
      StreamTableEnvironment flink, String table, String topic, String option) {
    flink.executeSql(
        "CREATE TABLE "
            + table
            + " (src_addr STRING, dst_addr STRING, protocol SMALLINT, dst_port INT, src_as BIGINT,"
            + " `bytes` BIGINT, outgoing BOOLEAN, service STRING, end_time TIMESTAMP_LTZ(6),"
            + " arrival TIMESTAMP_LTZ(3), number INT METADATA FROM 'partition',"
            + " WATERMARK FOR arrival AS arrival - INTERVAL '2' HOUR)"
            + " WITH ('connector' = 'kafka', 'topic' = '"
            + topic
            + "', 'properties.bootstrap.servers' = '"
            + kafka.bootstrap()
            + "', 'scan.startup.mode' = 'earliest-offset', 'scan.bounded.mode' = 'latest-offset',"
            + " 'format' = 'flowmon-batch'"
            + option
            + ")");
  }

  @Test
  void flowsAreThoseOfTheArchive() throws Exception {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inBatchMode());
    String archived = COLUMNS.replace("arrival", "CAST(arrival AS TIMESTAMP_LTZ(3)) AS arrival");
    List<String> expected = SqlSession.sorted(flink, "SELECT " + archived + " FROM flows");
    assertEquals(5_000, expected.size());
    assertEquals(expected, SqlSession.sorted(flink, "SELECT " + COLUMNS + " FROM live"));
  }

  @Test
  void metadataOfMessagesComeBesideTheFlows() throws Exception {
    assertEquals(
        List.of("+I[0, 2500]", "+I[1, 2500]"),
        SqlSession.sorted(
            flink(EnvironmentSettings.inBatchMode()),
            "SELECT number, COUNT(*) FROM live GROUP BY number"));
  }

  @Test
  void windowsOfAStreamHaveTheSumsOfTheArchive() throws Exception {
    String window =
        "SELECT window_start, src_addr, COUNT(*), SUM(`bytes`) FROM TABLE(TUMBLE(TABLE %s,"
            + " DESCRIPTOR(arrival), INTERVAL '10' MINUTES)) GROUP BY window_start, window_end,"
            + " src_addr";
    List<String> live =
        SqlSession.sorted(
            flink(EnvironmentSettings.inStreamingMode()), String.format(window, "live"));
    StreamTableEnvironment batch = flink(EnvironmentSettings.inBatchMode());
    batch.executeSql(
        "CREATE VIEW archived AS SELECT src_addr, `bytes`, CAST(arrival AS TIMESTAMP_LTZ(3)) AS"
            + " arrival FROM flows");
    List<String> expected = SqlSession.sorted(batch, String.format(window, "archived"));
    assertTrue(expected.size() > 100);
    assertEquals(expected, live);
  }

  @Test
  void aDamagedMessageFailsTheJobUnlessItIsIgnored() throws Exception {
    StreamTableEnvironment flink = flink(EnvironmentSettings.inBatchMode());
    create(flink, "strict", "damaged", "");
    create(flink, "lenient", "damaged", ", 'flowmon-batch.ignore-parse-errors' = 'true'");
    SqlSession.assertFails(flink, "SELECT COUNT(*) FROM strict", "a message is no batch of flows");
    assertEquals(List.of("+I[500]"), SqlSession.sorted(flink, "SELECT COUNT(*) FROM lenient"));
  }

  @Test
  void liveFlowsAreJoinedWithTheArchive() throws Exception {
    String join =
        "SELECT l.src_addr, l.arrival, f.`bytes` FROM (SELECT *, PROCTIME() AS t FROM live WHERE"
            + " dst_port = 22 AND src_as = 4294967295) AS l JOIN flows FOR SYSTEM_TIME AS OF l.t AS"
            + " f ON f.src_addr = l.src_addr AND f.dst_port = 443";
    StreamTableEnvironment flink = flink(EnvironmentSettings.inBatchMode());
    List<String> expected =
        SqlSession.sorted(flink, join.replace("FOR SYSTEM_TIME AS OF l.t ", ""));
    assertFalse(expected.isEmpty());
    assertEquals(expected, SqlSession.sorted(flink(EnvironmentSettings.inStreamingMode()), join));
  }
}
