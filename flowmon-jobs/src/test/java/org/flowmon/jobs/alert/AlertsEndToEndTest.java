package org.flowmon.jobs.alert;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpServer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.flink.core.execution.JobClient;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.jobs.FlowmonJob;
import org.flowmon.jobs.LocalFlink;
import org.flowmon.jobs.TestKafka;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.sink.postgres.TestPostgres;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The whole job: flows in Kafka, alerts in Kafka and at a webhook. */
class AlertsEndToEndTest {
  private static final String LOUD = "2001:db8::1";

  @TempDir private Path directory;

  @Test
  void alertsGoToKafkaAndToTheWebhookWithTheSameMessages() throws Exception {
    List<String> posted = Collections.synchronizedList(new ArrayList<>());
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          posted.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          // away at first
          exchange.sendResponseHeaders(posted.size() == 1 ? 503 : 204, -1);
          exchange.close();
        });
    server.start();
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"))) {
      kafka.createTopic("flows", 1);
      for (int window = 1; window <= 8; window++) {
        boolean loud = window >= 2 && window <= 4;
        send(kafka, window, AlertRun.end(window) - 5 * AlertRun.SECOND, loud ? 500 : 50);
      }
      // Windows 9 … 13 have no flow.
      send(kafka, 9, AlertRun.end(14) - 5 * AlertRun.SECOND, 50);
      run(kafka, server.getAddress().getPort());
      List<String> messages = messages(kafka);
      assertEquals(
          List.of("loud firing 3", "loud resolved 5", "silent firing 10", "silent resolved 14"),
          messages.stream().map(AlertsEndToEndTest::shortened).toList());
      assertTrue(
          messages.get(0).endsWith("\"columns\":{\"src_addr\":\"" + LOUD + "\",\"bytes\":500}}"),
          messages.get(0));
      assertEquals(
          List.of(messages.get(0), messages.get(0), messages.get(1)), posted, "tried once more");
    } finally {
      server.stop(0);
    }
  }

  @Test
  void anAlertThatSomebodySaysIsResolvedIsResolvedByTheJobThatRuns() throws Exception {
    try (TestKafka kafka = new TestKafka(directory.resolve("kafka"))) {
      kafka.createTopic("flows", 1);
      for (int window = 1; window <= 4; window++) {
        send(kafka, window, AlertRun.end(window) - 5 * AlertRun.SECOND, 500);
      }
      StreamExecutionEnvironment env =
          environment(kafka, 1, "- {name: loud, when: bytes > 100}", false);
      JobClient job = env.executeAsync("alerts");
      List<String> first = await(kafka, 1);
      assertTrue(first.get(0).contains("\"state\":\"firing\""), first.get(0));
      AlertResolves.send(
          Map.of("bootstrap.servers", kafka.bootstrap()),
          List.of(first.get(0).replaceAll(".*\"id\":\"([^\"]*)\".*", "$1")));
      List<String> both = await(kafka, 2);
      assertTrue(
          both.get(1).contains("\"number\":2,\"state\":\"resolved\",\"cause\":\"by_hand\""),
          both.get(1));
      job.cancel().get(1, TimeUnit.MINUTES);
    }
  }

  @Test
  void aJobThatReadsAllFlowsAgainLeavesInPostgresqlTheRowsThatItHadWritten() throws Exception {
    try (TestPostgres database = new TestPostgres();
        TestKafka kafka = new TestKafka(directory.resolve("kafka"))) {
      kafka.createTopic("flows", 1);
      for (int window = 1; window <= 8; window++) {
        boolean loud = (window >= 2 && window <= 4) || window >= 7;
        send(kafka, window, AlertRun.end(window) - 5 * AlertRun.SECOND, loud ? 500 : 50);
      }
      String rows = "SELECT a::text FROM flowmon_alerts a ORDER BY id";
      List<String> first = List.of();
      for (int run = 1; run <= 2; run++) {
        // Not to the webhook: nobody listens, and a job's end waits for it for half a minute.
        String alerts = "- {name: loud, when: bytes > 100, silence: 0s, sinks: [kafka]}";
        environment(kafka, 1, alerts, true, postgres(database)).execute("alerts");
        List<String> stored = database.rows(rows);
        assertEquals(2, stored.size(), stored.toString());
        assertEquals(
            List.of("4\tresolved\t4", "2\tfiring\t8"),
            database.rows(
                "SELECT number, state, (extract(epoch FROM last_held) * 1000000 - %d)::bigint / %d FROM flowmon_alerts ORDER BY since"
                    .formatted(AlertRun.BEGIN, AlertRun.SLIDE)));
        assertTrue(run == 1 || stored.equals(first), "run 2, with the times of writing");
        first = stored;
      }
    }
  }

  private static String postgres(TestPostgres database) {
    JobConfig.Postgres config = database.config();
    return "postgres: {url: '%s', user: %s}%n".formatted(config.url(), config.user());
  }

  private static List<String> await(TestKafka kafka, int messages) throws Exception {
    while (messages(kafka).size() < messages) {
      Thread.sleep(100);
    }
    return messages(kafka);
  }

  private static String shortened(String json) {
    String end = json.replaceAll(".*\"window_end\":\"([^\"]*)\".*", "$1");
    return json.replaceAll(".*\"state\":\"([^\"]*)\".*\"rule\":\"([^\"]*)\".*", "$2 $1")
        + " "
        + (java.time.Instant.parse(end).toEpochMilli() * 1000 - AlertRun.BEGIN) / AlertRun.SLIDE;
  }

  private void run(TestKafka kafka, int port) throws Exception {
    String alerts =
        """
        - {name: loud, when: bytes > 100, for: 20s, sinks: [kafka, ops]}
        - {name: silent, absent: 20s}
        """;
    environment(kafka, port, alerts, true).execute("alerts");
  }

  private StreamExecutionEnvironment environment(
      TestKafka kafka, int port, String alerts, boolean bounded) {
    return environment(kafka, port, alerts, bounded, "");
  }

  private StreamExecutionEnvironment environment(
      TestKafka kafka, int port, String alerts, boolean bounded, String further) {
    AnalysisConfig analysis = AlertRun.analysis("0s", alerts);
    JobConfig config =
        JobConfig.parse(
            "test.yaml",
            """
            kafka: {bootstrap: '%s', topic: flows}
            webhooks: {ops: {url: 'http://127.0.0.1:%d/hook'}}
            job:
              role: analyses
              max_parallelism: 16
              checkpoint_interval: 200ms
              checkpoint_directory: %s
              disorder_bound: 0s
              bounded: %s
            """
                    .formatted(
                        kafka.bootstrap(), port, directory.resolve("checkpoints").toUri(), bounded)
                + further);
    StreamExecutionEnvironment env = LocalFlink.environment(2);
    FlowmonJob.build(env, config, List.of(analysis));
    return env;
  }

  private static void send(TestKafka kafka, long sequence, long time, long bytes) throws Exception {
    FlowBatchBuilder builder = new FlowBatchBuilder(1);
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, time);
    builder.set(FlowColumn.END_TIME, time);
    builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.parse(LOUD));
    builder.set(FlowColumn.BYTES, bytes);
    builder.endRow();
    put(kafka, builder.build(1, sequence, sequence, 0));
  }

  private static void put(TestKafka kafka, byte[] value) throws Exception {
    try (KafkaProducer<byte[], byte[]> producer = kafka.producer()) {
      producer.send(new ProducerRecord<>("flows", 0, null, value)).get();
    }
  }

  private static List<String> messages(TestKafka kafka) {
    List<String> messages = new ArrayList<>();
    for (Map.Entry<String, String> message : kafka.messages("flowmon.alerts")) {
      String id = message.getKey();
      assertTrue(message.getValue().contains("\"id\":\"" + id + "\""), id);
      messages.add(message.getValue());
    }
    return messages;
  }
}
