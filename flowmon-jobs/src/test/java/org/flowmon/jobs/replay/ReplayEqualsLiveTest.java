package org.flowmon.jobs.replay;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.util.CloseableIterator;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestFlow;
import org.flowmon.jobs.TestKafka;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.json.ReportJson;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.jobs.report.json.ReportWindows;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The reports of the job and of a replay of its archive are equal: row for row, and in the arrival
 * counts of each window, also of windows without rows.
 */
class ReplayEqualsLiveTest {
  private static final long SECOND = TestFlow.SECOND;
  private static final long DAY = 86_400 * SECOND;
  private static final String TOPIC = "flows";
  private static final int PARTITIONS = 2;
  private static final long LOST = 17;

  @TempDir private Path directory;

  @Test
  void aReplayGivesTheReportsOfTheLiveJobRowForRow() throws Exception {
    AnalysisConfig analysis =
        AnalysisConfig.parse(
            "elephants.yaml",
            """
            name: elephants
            extends: elephants
            live:
              query: |
                SELECT src_addr, SUM(bytes) AS bytes FROM flows WHERE outgoing IS NOT TRUE
                GROUP BY src_addr ORDER BY bytes DESC LIMIT 20
              window: 10s
              revisions: null
              slots: 64
            history:
              query: |
                SELECT src_addr, SUM(bytes) AS bytes, DAYS_BEFORE(end_time, :now) AS day FROM flows
                WHERE src_addr IN (:live.src_addr) AND SAME_HOUR(end_time, :now, 2)
                GROUP BY src_addr, day
              delay: 12h
              timeout: 30s
            sinks: [kafka]
            """);
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"))) {
      kafka.createTopic(TOPIC, PARTITIONS);
      JobConfig config = config(kafka);
      List<TestFlow> today = new ArrayList<>(TestFlow.random(51, 12_000, 90, 60));
      today.addAll(late());
      List<TestFlow> yesterday = shifted(TestFlow.random(52, 12_000, 300, 60), -DAY);
      // The second run looks up flows that the first archived.
      send(kafka, 0, yesterday, TestFlow.START - DAY + 7200 * SECOND);
      run(config, analysis);
      send(kafka, 1000, today, TestFlow.START + 3600 * SECOND);
      run(config, analysis);
      long from = TestFlow.START - 20 * SECOND;
      long to = TestFlow.START + 130 * SECOND;
      Map<String, String> live = messages(kafka, from, to);
      assertTrue(live.size() > 100, live.size() + " rows");
      assertTrue(
          live.values().stream().anyMatch(row -> row.contains("\"verdict\":\"new\"")),
          "some are new");
      assertTrue(
          live.values().stream().anyMatch(row -> row.contains("\"verdict\":\"usual\"")),
          "some are not");
      assertTrue(
          live.values().stream().anyMatch(row -> row.contains("\"rows\":0")),
          "windows in which all flows are late");
      assertEquals(PARTITIONS * LOST, lost(kafka));
      for (int parallelism : new int[] {1, 2, 4}) {
        ReplaySpec spec =
            new ReplaySpec(
                List.of(config.archive()),
                analysis,
                from,
                to,
                config.job().historyDelay(),
                config.job().disorderBound());
        assertSame(live, replayed(spec, parallelism), "parallelism " + parallelism);
      }
    }
  }

  /** Flows that are all late, in windows of their own. */
  private static List<TestFlow> late() {
    List<TestFlow> late = new ArrayList<>();
    for (TestFlow flow : TestFlow.random(53, 150, 25, 60)) {
      long arrival = flow.arrival() + 100 * SECOND;
      late.add(
          new TestFlow(
              arrival, arrival - 60 * SECOND, flow.source(), flow.bytes(), flow.outgoing()));
    }
    return late;
  }

  /** Shows only the rows that differ. */
  private static void assertSame(
      Map<String, String> expected, Map<String, String> found, String where) {
    Map<String, String> missing = new TreeMap<>(expected);
    missing.entrySet().removeAll(found.entrySet());
    Map<String, String> others = new TreeMap<>(found);
    others.entrySet().removeAll(expected.entrySet());
    assertEquals(missing, others, where + ", of " + expected.size() + " rows");
  }

  private JobConfig config(TestKafka kafka) {
    return JobConfig.parse(
        "test.yaml",
        """
        kafka: {bootstrap: '%s', topic: %s}
        archive: {directory: %s}
        job:
          parallelism: 2
          max_parallelism: 16
          checkpoint_interval: 200ms
          checkpoint_directory: %s
          disorder_bound: 0s
          bounded: true
        """
            .formatted(
                kafka.bootstrap(),
                TOPIC,
                directory.resolve("archive"),
                directory.resolve("checkpoints").toUri()));
  }

  private static StreamExecutionEnvironment environment(int parallelism) {
    return LocalFlink.environment(parallelism);
  }

  private static void run(JobConfig config, AnalysisConfig analysis) throws Exception {
    StreamExecutionEnvironment env = environment(2);
    FlowmonJob.build(env, config, List.of(analysis));
    env.execute("live");
  }

  private static List<TestFlow> shifted(List<TestFlow> flows, long by) {
    List<TestFlow> shifted = new ArrayList<>();
    for (TestFlow flow : flows) {
      Long end = flow.endTime() == null ? null : flow.endTime() + by;
      shifted.add(
          new TestFlow(flow.arrival() + by, end, flow.source(), flow.bytes(), flow.outgoing()));
    }
    return shifted;
  }

  /** Sends batches to the partitions in turn, and then to each the progress of its clock. */
  private static void send(TestKafka kafka, long firstSequence, List<TestFlow> flows, long clock)
      throws Exception {
    long[] sequence = {firstSequence, firstSequence};
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      for (int from = 0; from < flows.size(); from += 100) {
        int partition = from / 100 % PARTITIONS;
        List<TestFlow> part = flows.subList(from, Math.min(from + 100, flows.size()));
        byte[] batch = TestFlow.batch(part, 7 + partition, sequence[partition]++, 0);
        producer.send(new ProducerRecord<>(TOPIC, partition, null, batch)).get();
      }
      for (int p = 0; p < PARTITIONS; p++) {
        // A producer's last message reports a loss.
        long lost = firstSequence == 0 ? 0 : LOST;
        byte[] beat = Heartbeat.of(7 + p, sequence[p]++, 0, lost, clock);
        producer.send(new ProducerRecord<>(TOPIC, p, null, beat)).get();
      }
    }
  }

  /** Returns the losses in all windows together, added up as by a reader of the topic. */
  private static long lost(TestKafka kafka) throws IOException {
    ReportWindows windows = new ReportWindows(1);
    for (Map.Entry<String, String> message : kafka.messages("flowmon.reports.elephants")) {
      byte[] value = message.getValue().getBytes(StandardCharsets.UTF_8);
      var unused = windows.add(ReportRow.parse(value), value);
    }
    long lost = 0;
    for (ReportWindows.Window window : windows.waiting()) {
      lost += ((BigInteger) window.parsed().get(0).confidence().get("lost_flows")).longValue();
    }
    return lost;
  }

  /** Returns messages by key: their rows, and their arrived, late and lost flows. */
  private static Map<String, String> messages(TestKafka kafka, long from, long to) {
    Map<String, Integer> highest = new TreeMap<>();
    Map<String, String> messages = new TreeMap<>();
    for (Map.Entry<String, String> message : kafka.messages("flowmon.reports.elephants")) {
      String window = end(message.getKey());
      // A window's rows are those of its highest revision alone.
      int revision = revision(message.getValue());
      int before = highest.getOrDefault(window, -1);
      if (revision > before) {
        messages.keySet().removeIf(key -> end(key).equals(window));
        highest.put(window, revision);
      }
      if (revision >= before) {
        messages.put(message.getKey(), said(message.getValue()));
      }
    }
    String first = time(from + 10 * SECOND);
    String last = time(to);
    messages
        .keySet()
        .removeIf(key -> end(key).compareTo(first) < 0 || end(key).compareTo(last) > 0);
    return messages;
  }

  private static int revision(String json) {
    return Integer.parseInt(json.replaceAll(".*\"revision\":([0-9]+).*", "$1"));
  }

  private static String end(String key) {
    int bar = key.indexOf('|');
    return key.substring(bar + 1, key.indexOf('|', bar + 1));
  }

  private static String time(long micros) {
    return java.time.Instant.EPOCH.plus(micros, java.time.temporal.ChronoUnit.MICROS).toString();
  }

  private static String said(String json) {
    String row = json.substring(json.indexOf("\"revision\":"), json.indexOf("\"confidence\":"));
    int asOf = json.indexOf("\"history\":");
    return row
        + json.substring(asOf, json.indexOf("\"history_from\":"))
        + json.substring(json.indexOf("\"flows\":"), json.indexOf("\"group_sampling\":"));
  }

  private static Map<String, String> replayed(ReplaySpec spec, int parallelism) throws Exception {
    StreamExecutionEnvironment env = environment(parallelism);
    env.setMaxParallelism(16);
    Map<String, String> rows = new TreeMap<>();
    try (CloseableIterator<Report> reports = Replay.reports(env, spec, 16).executeAndCollect()) {
      while (reports.hasNext()) {
        Report report = reports.next();
        List<String> messages = new ArrayList<>();
        ReportJson.lines(report, messages::add);
        for (int row = 0; row < messages.size(); row++) {
          String json = messages.get(row);
          assertTrue(json.getBytes(StandardCharsets.UTF_8).length < 10_000);
          String rowKey = report.rows().rowCount() == 0 ? "" : report.rowKey(row);
          rows.put("elephants|" + time(report.windowEnd()) + "|" + rowKey, said(json));
        }
      }
    }
    return rows;
  }
}
