package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Reports, alerts and analyses of a job, by a real Kafka. */
final class JobEndpointsTest {
  private static final String CONFIDENCE =
      "\"confidence\":{\"history\":\"exact\",\"as_of\":null,\"flows\":7,\"late_flows\":0}";

  @TempDir Path folder;

  static String row(int window, int revision, int rows, int number) {
    return "{\"version\":1,\"analysis\":\"elephants\",\"window_start\":\"2026-11-21T10:00:%02dZ\","
            .formatted(window)
        + "\"window_end\":\"2026-11-21T10:00:%02dZ\",".formatted(window + 10)
        + "\"revision\":%d,\"rows\":%d,\"row_number\":%d,".formatted(revision, rows, number)
        + "\"row_key\":\"10.0.0.%d\",\"columns\":{\"rank\":%d,\"bytes\":%d},"
            .formatted(number, number, 100 * revision)
        + CONFIDENCE
        + "}";
  }

  private static String empty(int window) {
    return "{\"version\":2,\"analysis\":\"elephants\",\"window_start\":\"2026-11-21T10:00:%02dZ\","
            .formatted(window)
        + "\"window_end\":\"2026-11-21T10:00:%02dZ\",".formatted(window + 10)
        + "\"revision\":3,\"rows\":0,"
        + CONFIDENCE
        + "}";
  }

  private static String alert(String id, int number, String state, int second) {
    return "{\"version\":1,\"id\":\"%s\",\"number\":%d,\"state\":\"%s\",\"cause\":\"condition\","
            .formatted(id, number, state)
        + "\"severity\":\"warning\",\"analysis\":\"elephants\",\"rule\":\"loud\",\"key\":\"x\","
        + "\"since\":\"2026-11-21T10:00:%02dZ\",".formatted(second)
        + "\"window_start\":\"2026-11-21T10:00:00Z\",\"window_end\":\"2026-11-21T10:00:10Z\","
        + "\"columns\":{\"bytes\":1}}";
  }

  static void send(EmbeddedKafka kafka, String topic, String... messages) throws Exception {
    try (KafkaProducer<String, String> producer =
        new KafkaProducer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringSerializer(),
            new StringSerializer())) {
      for (String message : messages) {
        producer.send(new ProducerRecord<>(topic, message)).get();
      }
    }
  }

  static JsonNode until(TestServer server, String path, String member, int size) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (true) {
      HttpResponse<String> answer = server.get(path);
      if (answer.statusCode() == 200) {
        JsonNode json = TestServer.JSON.readTree(answer.body());
        if (json.get(member).size() == size) {
          return json;
        }
      }
      assertTrue(System.nanoTime() < end, path + ": " + answer.body());
      Thread.sleep(100);
    }
  }

  @Test
  void whatAJobSaysIsServedAndWhatIsAskedOfItIsSent() throws Exception {
    String a = "a".repeat(32);
    String b = "b".repeat(32);
    Path archive =
        TestServer.archive(
            folder,
            "end_time,src_addr,dst_addr,bytes\n2026-11-01T00:00:10Z,10.0.0.1,192.0.2.1,5\n");
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      kafka.createTopic("flowmon.reports.elephants", 1, Map.of());
      kafka.createTopic("flowmon.alerts", 1, Map.of());
      kafka.createTopic("flowmon.alerts.resolve", 1, Map.of());
      send(
          kafka,
          "flowmon.reports.elephants",
          row(0, 3, 2, 1),
          row(0, 3, 2, 2),
          row(10, 3, 1, 1),
          row(10, 7, 1, 1), // an update
          empty(20),
          row(30, 3, 2, 2)); // its first row is still to come
      send(
          kafka,
          "flowmon.alerts",
          alert(a, 1, "firing", 1),
          alert(b, 1, "firing", 2),
          alert(b, 2, "resolved", 2));
      KafkaOptions options = new KafkaOptions();
      new CommandLine(options).parseArgs("--kafka", kafka.bootstrapServers());
      try (TestServer server =
          TestServer.start(
              folder, archive, Tokens.NONE, Optional.of(options), Duration.ofSeconds(30))) {
        reports(server);
        send(kafka, "flowmon.reports.elephants", row(30, 3, 2, 1));
        JsonNode later = until(server, "/api/v1/reports?empty=false", "reports", 3);
        while (!later.get("reports").get(0).get("complete").asBoolean()) {
          later = until(server, "/api/v1/reports?empty=false", "reports", 3);
        }
        alerts(server, kafka, a, b);
        analyses(server);
      }
    }
  }

  @Test
  void analysesHaveWhatTheirFilesExtendAndTheJobsNetworks() throws Exception {
    Path archive =
        TestServer.archive(
            folder,
            "end_time,src_addr,dst_addr,bytes\n2026-11-01T00:00:10Z,10.0.0.1,192.0.2.1,5\n");
    Path analyses = Files.createDirectory(folder.resolve("analyses"));
    String base =
        """
        name: base
        live:
          query: |
            SELECT dst_addr, SUM(bytes) AS bytes FROM flows WHERE dst_addr IN ${own_networks}
            GROUP BY dst_addr
          window: 10s
          time: end_time
          lateness: 5s
        report: {logic: live}
        sinks: [kafka]
        """;
    Files.writeString(analyses.resolve("base.yaml"), base);
    Files.writeString(analyses.resolve("other.yaml"), "name: mine\nextends: base.yaml\n");
    try (EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      Path config =
          Files.writeString(
              folder.resolve("flowmon.yaml"),
              """
              kafka: {bootstrap: "%s"}
              job: {role: analyses}
              analyses: "%s"
              enrichment: {inside: [192.0.2.0/24]}
              """
                  .formatted(kafka.bootstrapServers(), analyses));
      KafkaOptions options = new KafkaOptions();
      new CommandLine(options).parseArgs("--config", config.toString());
      try (TestServer server =
          TestServer.start(
              folder, archive, Tokens.NONE, Optional.of(options), Duration.ofSeconds(30))) {
        for (Map<String, String> asked :
            List.of(Map.of("analysis", "mine"), Map.of("text", base))) {
          String reports = replayed(server, asked);
          assertTrue(reports.contains("{\"dst_addr\":\"192.0.2.1\",\"bytes\":5}"), reports);
        }
        String path = "/api/v1/analyses/base";
        String body = TestServer.JSON.writeValueAsString(Map.of("text", base));
        // Not awaited: it is there long before the server stops waiting for a job's answer.
        CompletableFuture<HttpResponse<String>> answer =
            server.sendAsync(server.jsonRequest("PUT", path, body));
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        String sent = "";
        while (!sent.contains("192.0.2.0/24")) {
          assertTrue(System.nanoTime() < end, sent);
          Thread.sleep(100);
          sent = server.json(server.get(path)).get("text").asText();
        }
        answer.cancel(true);
      }
    }
  }

  private static String replayed(TestServer server, Map<String, String> asked) throws Exception {
    Map<String, String> members = new TreeMap<>(asked);
    members.put("from", "2026-11-01T00:00:00Z");
    members.put("to", "2026-11-01T00:01:00Z");
    String body = TestServer.JSON.writeValueAsString(members);
    HttpResponse<String> answer = server.post("/api/v1/replays", body);
    while (answer.statusCode() == 429) { // the one before
      Thread.sleep(100);
      answer = server.post("/api/v1/replays", body);
    }
    assertEquals(200, answer.statusCode(), answer.body());
    return answer.body();
  }

  private static void reports(TestServer server) throws Exception {
    JsonNode all = until(server, "/api/v1/reports", "reports", 4).get("reports");
    assertEquals("2026-11-21T10:00:40Z", all.get(0).get("window_end").asText());
    assertEquals(2, all.get(0).get("row_count").asInt());
    assertEquals(false, all.get(0).get("complete").asBoolean());
    assertEquals(0, all.get(1).get("rows").size());
    assertEquals(true, all.get(2).get("updated").asBoolean());
    assertEquals(700, all.get(2).at("/rows/0/columns/bytes").asInt(), "the highest revision");
    assertEquals("10.0.0.2", all.get(3).at("/rows/1/row_key").asText());
    assertEquals(7, all.get(3).at("/confidence/flows").asInt());
    List<JsonNode> paged = new ArrayList<>();
    String cursor = "";
    do {
      JsonNode page = server.json(server.get("/api/v1/reports?limit=1" + cursor));
      page.get("reports").forEach(paged::add);
      cursor = page.get("next").isNull() ? "" : "&cursor=" + page.get("next").asText();
    } while (!cursor.isEmpty());
    assertEquals(all, TestServer.JSON.valueToTree(paged));
    assertEquals(
        1,
        server
            .json(
                server.get(
                    "/api/v1/reports?from=2026-11-21T10:00:20Z&to=2026-11-21T10:00:30Z"
                        + "&analysis=elephants"))
            .get("reports")
            .size());
    assertEquals(0, server.json(server.get("/api/v1/reports?analysis=mice")).get("reports").size());
    assertEquals(400, server.get("/api/v1/reports?analysis=No").statusCode());
    assertEquals(400, server.get("/api/v1/reports?from=yesterday").statusCode());
    assertEquals("ok", server.json(server.get("/api/v1/health")).get("status").asText());
  }

  private static void alerts(TestServer server, EmbeddedKafka kafka, String a, String b)
      throws Exception {
    JsonNode firing = until(server, "/api/v1/alerts", "alerts", 1).get("alerts");
    assertEquals(a, firing.get(0).get("id").asText());
    JsonNode all = server.json(server.get("/api/v1/alerts?state=all")).get("alerts");
    assertEquals(b, all.get(0).get("id").asText(), "the last one first");
    assertEquals("resolved", all.get(0).get("state").asText());
    assertEquals(200, server.get("/api/v1/alerts/" + a).statusCode());
    assertEquals(404, server.get("/api/v1/alerts/" + "c".repeat(32)).statusCode());
    String resolve = "/api/v1/alerts/" + a + "/resolve";
    HttpResponse<String> sent =
        server.send(server.request(resolve).POST(HttpRequest.BodyPublishers.noBody()));
    assertEquals(202, TestServer.checked("post", resolve, sent).statusCode(), sent.body());
    try (KafkaConsumer<String, String> consumer =
        new KafkaConsumer<>(
            Map.of("bootstrap.servers", kafka.bootstrapServers()),
            new StringDeserializer(),
            new StringDeserializer())) {
      TopicPartition partition = new TopicPartition("flowmon.alerts.resolve", 0);
      consumer.assign(List.of(partition));
      consumer.seekToBeginning(List.of(partition));
      var records = consumer.poll(Duration.ofSeconds(20)).records(partition);
      assertEquals(1, records.size());
      assertEquals(a, records.get(0).key());
    }
  }

  private static void analyses(TestServer server) throws Exception {
    assertEquals(0, server.json(server.get("/api/v1/analyses")).get("analyses").size());
    String name = AnalysisConfig.names().get(0);
    String path = "/api/v1/analyses/" + name;
    String body =
        TestServer.JSON.writeValueAsString(Map.of("text", AnalysisConfig.wholeTextOf(name)));
    HttpResponse<String> other =
        server.send(server.jsonRequest("PUT", "/api/v1/analyses/other", body));
    assertEquals(400, other.statusCode(), other.body());
    HttpResponse<String> added = server.send(server.jsonRequest("PUT", path, body));
    JsonNode change = server.json(TestServer.checked("put", path, added));
    assertEquals("sent", change.get("outcome").asText(), "no job runs here");
    JsonNode listed = server.json(server.get("/api/v1/analyses")).get("analyses");
    assertEquals(name, listed.get(0).get("name").asText());
    JsonNode one = server.json(server.get(path));
    assertEquals(AnalysisConfig.wholeTextOf(name), one.get("text").asText());
  }
}
