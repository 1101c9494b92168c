package org.flowmon.jobs.sink;

import static org.flowmon.jobs.report.TestReports.DAY;
import static org.flowmon.jobs.report.TestReports.END;
import static org.flowmon.jobs.report.TestReports.SECOND;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.Heartbeat;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestKafka;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.Places;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.report.TestReports;
import org.flowmon.jobs.sink.postgres.TestPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole job: one run archives two days of flows, and the next compares with them. */
class ReportsEndToEndTest {
  private static final String OLD = "192.0.2.1";
  private static final String NEW = "2001:db8::1";
  private static final String TOPIC = "flows";

  @TempDir private Path directory;

  @Test
  void whatIsNewNowIsReportedToKafkaAndPostgresql() throws Exception {
    AnalysisConfig analysis = TestReports.elephants("share: 0.1, factor: 3");
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"));
        TestPostgres database = new TestPostgres()) {
      kafka.createTopic(TOPIC, 1);
      JobConfig config = config(kafka, database);
      // Days 2 and 1, in the hour after ten: the old host sends 360 kB each, 100 bytes/s.
      send(kafka, 0, END - 2 * DAY - SECOND, "10.0.0.1", 1);
      send(kafka, 1, END - 2 * DAY + 60 * SECOND, OLD, 360_000);
      send(kafka, 2, END - DAY + 60 * SECOND, OLD, 360_000);
      heartbeat(kafka, 3, END - DAY + 7200 * SECOND);
      run(config, analysis);
      // Now, in the ten seconds before ten: both send 299 bytes/s; the old one did so before.
      send(kafka, 4, END - 5 * SECOND, OLD, 2_990);
      send(kafka, 5, END - 4 * SECOND, NEW, 2_990);
      heartbeat(kafka, 6, END + 3600 * SECOND);
      run(config, analysis);
      List<String> expected =
          List.of(
              "1 " + OLD + " 2990 299 100 2 usual exact", "2 " + NEW + " 2990 299 0 2 new exact");
      assertEquals(expected, rows(database));
      Map<String, String> messages = messages(kafka);
      String value = messages.get("elephants|2026-11-21T10:00:00Z|" + NEW);
      assertTrue(value.contains("\"verdict\":\"new\""), value);
      assertTrue(value.contains("\"history\":\"exact\""), value);
      assertTrue(value.contains("\"days_missing\":\"2026-11-18T10:00:00Z "), value);
      value = messages.get("elephants|2026-11-21T10:00:00Z|" + OLD);
      assertTrue(value.contains("\"verdict\":\"usual\""), value);
      // Once more from the beginning, without state: everything is a repeat.
      run(config, analysis);
      assertEquals(expected, rows(database));
    }
  }

  @Test
  void theAnalysesThatAreOfferedReportToPostgresql() throws Exception {
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"));
        TestPostgres database = new TestPostgres()) {
      kafka.createTopic(TOPIC, 1);
      JobConfig config = config(kafka, database);
      // The matrix is compared with the hours from nine to twelve of both days.
      send(kafka, 0, END - 2 * DAY - 3601 * SECOND, "10.0.0.1", 1);
      send(kafka, 1, END - 2 * DAY + 60 * SECOND, OLD, 360_000);
      send(kafka, 2, END - DAY + 60 * SECOND, OLD, 360_000);
      heartbeat(kafka, 3, END - DAY + 7200 * SECOND);
      AnalysisConfig[] offered = AnalysisConfig.offered().toArray(AnalysisConfig[]::new);
      run(config, offered);
      // Now: the new one every three minutes, half as much as the old one in the last five.
      send(kafka, 4, END - 390 * SECOND, NEW, 1);
      send(kafka, 5, END - 210 * SECOND, NEW, 1);
      send(kafka, 6, END - 5 * SECOND, OLD, 4);
      send(kafka, 7, END - 4 * SECOND, NEW, 3);
      heartbeat(kafka, 8, END + 3600 * SECOND);
      run(config, offered);
      assertEquals(
          List.of(
              "summary 0 null 8 0.5 33.333333333333336 1 1 0 little_history 2026-11-18T09:00:00Z",
              "change 1 192.0.0.0 4 null 33.333333333333336 null null null less null",
              "change 2 2001:db8:: 4 null 0 null null null appeared null"),
          rows(
              database,
              "anomaly",
              "part, rank, host(outside), bytes, l1, usual_rate, pairs_both, pairs_now,"
                  + " pairs_then, verdict, split_part(days_missing, ' ', 1)"));
      assertEquals(
          List.of("1 2001:db8:: 00:03:00 2 3 ...#..#..# t 1 3 0 new"),
          rows(
              database,
              "dispersion",
              "rank, host(prefix), lag, repeats, appearances, pattern, regular, flows, bytes,"
                  + " bytes_per_day, verdict"));
      assertEquals(
          List.of("1 2001:db8::1 null 3 mouse"),
          rows(database, "mice", "rank, host(src_addr), host(dst_addr), bytes, verdict"));
    }
  }

  @Test
  void scansAreReportedToPostgresqlAndTheVictimIsNot() throws Exception {
    AnalysisConfig portscans =
        AnalysisConfig.offered().stream()
            .filter(analysis -> analysis.name().equals("portscans"))
            .findFirst()
            .orElseThrow();
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"));
        TestPostgres database = new TestPostgres()) {
      kafka.createTopic(TOPIC, 1);
      JobConfig config = config(kafka, database);
      // On days 2 and 1 the old host tries the same targets as now.
      send(kafka, 0, END - 2 * DAY - SECOND, "10.0.0.1", 1);
      scan(kafka, 1, END - 2 * DAY + 60 * SECOND, OLD);
      scan(kafka, 2, END - DAY + 60 * SECOND, OLD);
      heartbeat(kafka, 3, END - DAY + 7200 * SECOND);
      run(config, portscans);
      scan(kafka, 4, END - 50 * SECOND, OLD);
      scan(kafka, 5, END - 40 * SECOND, NEW);
      scan(kafka, 6, END - 5 * SECOND, NEW); // the same targets again
      heartbeat(kafka, 7, END + 3600 * SECOND);
      run(config, portscans);
      assertEquals(
          List.of(
              "1 " + OLD + " 120 1 120 120 120 2 usual", "2 " + NEW + " 120 1 120 240 0 2 scan"),
          rows(
              database,
              "portscans",
              "rank, host(src_addr), targets, hosts, ports, flows, median_targets, days_used,"
                  + " verdict"));
    }
  }

  /** Sends attempts at 120 ports of a host, and its answers. */
  private static void scan(TestKafka kafka, long sequence, long time, String scanner)
      throws Exception {
    String victim = "10.0.0.9";
    FlowBatchBuilder builder = new FlowBatchBuilder(240);
    for (int i = 0; i < 240; i++) {
      boolean answers = i % 2 == 1;
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, time);
      builder.set(FlowColumn.END_TIME, time);
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(answers ? victim : scanner));
      builder.setAddress(FlowColumn.DST_ADDR, IpAddress.parse(answers ? scanner : victim));
      builder.set(FlowColumn.SRC_PORT, answers ? 1 + i / 2 : 40_000 + i / 2);
      builder.set(FlowColumn.DST_PORT, answers ? 40_000 + i / 2 : 1 + i / 2);
      builder.set(FlowColumn.PROTOCOL, 6);
      builder.set(FlowColumn.TCP_FLAGS, answers ? 20 : 2);
      builder.endRow();
    }
    put(kafka, builder.build(1, sequence, sequence, 0));
  }

  private static List<String> rows(TestPostgres database, String analysis, String columns)
      throws Exception {
    String sql =
        "SELECT "
            + columns
            + " FROM report_"
            + analysis
            + " WHERE window_end = '2026-11-21T10:00:00Z' ORDER BY row_number";
    return database.rows(sql).stream().map(row -> row.replace('\t', ' ')).toList();
  }

  private JobConfig config(TestKafka kafka, TestPostgres database) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: %s}
        archive: {directory: %s}
        postgres: {url: '%s', user: postgres}
        job:
          parallelism: 1
          max_parallelism: 16
          checkpoint_interval: 200ms
          checkpoint_directory: %s
          bounded: true
        """
            .formatted(
                kafka.bootstrap(),
                TOPIC,
                directory.resolve("archive"),
                database.config().url(),
                directory.resolve("checkpoints").toUri()));
  }

  private static void run(JobConfig config, AnalysisConfig... analyses) throws Exception {
    List<AnalysisConfig> delayed = Stream.of(analyses).map(ReportsEndToEndTest::delayed).toList();
    StreamExecutionEnvironment env = LocalFlink.environment(1);
    FlowmonJob.build(env, config, delayed);
    env.execute("end to end");
  }

  /**
   * Returns the analysis with a delay so long that the former run reaches as-of: this one has
   * committed nothing yet.
   */
  private static AnalysisConfig delayed(AnalysisConfig analysis) {
    AnalysisConfig.History history = analysis.history();
    if (history == null) {
      return analysis;
    }
    return new AnalysisConfig(
        analysis.name(),
        analysis.live(),
        new AnalysisConfig.History(
            history.query(),
            Duration.ofHours(22),
            history.refresh(),
            4,
            Duration.ofSeconds(20),
            history.rows()),
        analysis.report(),
        analysis.sinks(),
        List.of(),
        Places.NONE);
  }

  private static void send(TestKafka kafka, long sequence, long time, String source, long bytes)
      throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, time);
    builder.set(FlowColumn.END_TIME, time);
    builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(source));
    builder.set(FlowColumn.BYTES, bytes);
    builder.endRow();
    put(kafka, builder.build(1, sequence, sequence, 0));
  }

  private static void heartbeat(TestKafka kafka, long sequence, long time) throws Exception {
    put(kafka, Heartbeat.of(1, sequence, sequence, 0, time));
  }

  private static void put(TestKafka kafka, byte[] value) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      producer.send(new ProducerRecord<>(TOPIC, 0, null, value)).get();
    }
  }

  private static List<String> rows(TestPostgres database) throws Exception {
    return database.rows(
        "SELECT concat_ws(' ', rank, host(src_addr), bytes, rate, median_rate, days_used,"
            + " verdict, history) FROM report_elephants"
            + " JOIN flowmon_windows USING (window_start, window_end)"
            + " WHERE window_end = '2026-11-21T10:00:00Z' ORDER BY rank");
  }

  private static Map<String, String> messages(TestKafka kafka) {
    Map<String, String> messages = new TreeMap<>();
    for (Map.Entry<String, String> message : kafka.messages("flowmon.reports.elephants")) {
      messages.put(message.getKey(), message.getValue());
      assertTrue(message.getValue().getBytes(StandardCharsets.UTF_8).length < 10_000);
    }
    return Collections.unmodifiableMap(messages);
  }
}
