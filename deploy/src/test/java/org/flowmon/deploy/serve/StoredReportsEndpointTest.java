package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.flowmon.deploy.kafka.KafkaOptions;
import org.flowmon.deploy.serve.access.Tokens;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** Reports of a job that writes them to Kafka and to PostgreSQL, both real. */
final class StoredReportsEndpointTest {
  private static final String PATH = "/api/v1/reports";

  @TempDir Path folder;

  /** Tables of docs/format/reports.md: four windows, the last one as in Kafka. */
  private static final String TABLES =
      """
      CREATE TABLE flowmon_windows (analysis text, window_start timestamptz, window_end timestamptz,
        revision int, row_count int, history text, flows bigint, late_flows bigint, written_at timestamptz,
        PRIMARY KEY (analysis, window_end, window_start));
      CREATE TABLE report_elephants (window_start timestamptz, window_end timestamptz, revision int, row_key text,
        row_number int, rank bigint, bytes numeric(39,0), PRIMARY KEY (window_end, window_start, row_key));
      INSERT INTO flowmon_windows SELECT 'elephants', s, s + interval '10 s', 7, 1, 'exact', 7, 0, now()
        FROM generate_series(timestamptz '2026-11-21 09:59:30Z', '2026-11-21 10:00:00Z', '10 s') s;
      INSERT INTO report_elephants SELECT window_start, window_end, 7, '10.0.0.1', 1, 1, 700 FROM flowmon_windows;
      """;

  @Test
  void reportsOfBothStoresAreOneListAndAStoreThatIsAwayIsNamed() throws Exception {
    Path archive =
        TestServer.archive(folder, "end_time,src_addr,bytes\n2026-11-01T00:00:10Z,10.0.0.1,5\n");
    EmbeddedPostgres postgres = EmbeddedPostgres.start(folder.resolve("postgres"));
    try (postgres;
        EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      try (Connection connection =
              DriverManager.getConnection(
                  postgres.jdbcUrl(), postgres.user(), postgres.password());
          Statement statement = connection.createStatement()) {
        statement.execute(TABLES);
      }
      kafka.createTopic("flowmon.reports.elephants", 1, Map.of());
      JobEndpointsTest.send(
          kafka,
          "flowmon.reports.elephants",
          JobEndpointsTest.row(0, 7, 1, 1), // as in PostgreSQL
          JobEndpointsTest.row(10, 3, 1, 1));
      Optional<KafkaOptions> job = Optional.of(job(folder, kafka, postgres));
      try (TestServer server =
          TestServer.start(folder, archive, Tokens.NONE, job, Duration.ofSeconds(30))) {
        JsonNode all = JobEndpointsTest.until(server, PATH, "reports", 5);
        assertEquals(0, all.get("warnings").size());
        assertEquals(
            List.of("10:00:20Z", "10:00:10Z", "10:00:00Z", "09:59:50Z", "09:59:40Z"), ends(all));
        JsonNode both = all.get("reports").get(1);
        assertEquals("{\"rank\":1,\"bytes\":700}", both.at("/rows/0/columns").toString());
        assertEquals(7, both.at("/confidence/flows").asInt());
        assertEquals(true, both.get("complete").asBoolean());
        paged(server, all);
        String range = PATH + "?from=2026-11-21T09:59:50Z&to=2026-11-21T10:00:10Z&analysis=";
        assertEquals(
            List.of("10:00:00Z", "09:59:50Z"), ends(server.json(server.get(range + "elephants"))));
        assertEquals(List.of(), ends(server.json(server.get(range + "mice"))));
        assertTrue(server.get("/api/v1/health").body().contains("\"database\""));

        postgres.close();
        JsonNode rest = server.json(server.get(PATH));
        assertEquals(List.of("10:00:20Z", "10:00:10Z"), ends(rest));
        assertTrue(rest.at("/warnings/0").asText().contains("PostgreSQL at"), rest.toString());
        HttpResponse<String> health = server.get("/api/v1/health");
        assertEquals(503, health.statusCode());
        assertTrue(
            health.body().contains("\"database\",\"status\":\"failed\",\"detail\":\"PostgreSQL at"),
            health.body());
      }
      strangersHearNoNames(archive, job);
    }
  }

  private void strangersHearNoNames(Path archive, Optional<KafkaOptions> job) throws Exception {
    Path tokens = Files.writeString(folder.resolve("tokens"), "read r readreadreadreadread\n");
    try (TestServer server =
        TestServer.start(folder, archive, Tokens.read(tokens), job, Duration.ofSeconds(30))) {
      String path = "/api/v1/health";
      HttpResponse<String> stranger = server.get(path);
      assertEquals(503, stranger.statusCode());
      String failed = "\"database\",\"status\":\"failed\",\"detail\":";
      assertTrue(stranger.body().contains(failed + "null"), stranger.body());
      assertFalse(stranger.body().contains("PostgreSQL"), stranger.body());
      HttpResponse<String> known =
          server.send(server.request(path).header("Authorization", "Bearer readreadreadreadread"));
      assertTrue(known.body().contains(failed + "\"PostgreSQL at"), known.body());
    }
  }

  static KafkaOptions job(Path folder, EmbeddedKafka kafka, EmbeddedPostgres postgres)
      throws Exception {
    Path config =
        Files.writeString(
            folder.resolve("flowmon.yaml"),
            """
            kafka: {bootstrap: "%s"}
            job: {role: analyses}
            postgres: {url: "%s", user: %s, password_file: "%s"}
            """
                .formatted(
                    kafka.bootstrapServers(),
                    postgres.jdbcUrl(),
                    postgres.user(),
                    postgres.passwordFile()));
    KafkaOptions options = new KafkaOptions();
    new CommandLine(options).parseArgs("--config", config.toString());
    return options;
  }

  private static List<String> ends(JsonNode page) {
    List<String> ends = new ArrayList<>();
    page.get("reports")
        .forEach(one -> ends.add(one.get("window_end").asText().substring("2026-11-21T".length())));
    return ends;
  }

  private static void paged(TestServer server, JsonNode all) throws Exception {
    for (int limit = 1; limit <= 5; limit++) {
      List<JsonNode> paged = new ArrayList<>();
      String cursor = "";
      do {
        JsonNode page = server.json(server.get(PATH + "?limit=" + limit + cursor));
        page.get("reports").forEach(paged::add);
        cursor = page.get("next").isNull() ? "" : "&cursor=" + page.get("next").asText();
      } while (!cursor.isEmpty());
      assertEquals(all.get("reports"), TestServer.JSON.valueToTree(paged), "by " + limit);
    }
    String next = server.json(server.get(PATH + "?limit=1")).get("next").asText();
    String other = PATH + "?limit=1&empty=false&cursor=" + next;
    assertEquals(400, server.get(other).statusCode(), "a cursor of all reports");
  }
}
