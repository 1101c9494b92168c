package org.flowmon.deploy.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
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
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.embedded.EmbeddedKafka;
import org.flowmon.jobs.sink.postgres.PostgresAlerts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Alerts of a job that keeps them in Kafka and PostgreSQL, both real. */
final class StoredAlertsEndpointTest {
  private static final String PATH = "/api/v1/alerts";

  @TempDir Path folder;

  /** The message of an alert that began at a second of the minute; two began at each. */
  private static String message(int id, int number) {
    return "{\"version\":1,\"id\":\"%032x\",\"number\":%d,\"state\":\"%s\",\"cause\":\"condition\","
            .formatted(id, number, id % 3 == 0 ? "resolved" : "firing")
        + "\"severity\":\"warning\",\"analysis\":\"%s\",\"rule\":\"loud\",\"key\":\"10.0.0.%d\","
            .formatted(id % 4 == 0 ? "mice" : "elephants", id)
        + "\"since\":\"2026-11-21T10:00:%02dZ\",".formatted(id / 2)
        + "\"window_start\":\"2026-11-21T10:00:00Z\",\"window_end\":\"2026-11-21T10:00:10Z\","
        + "\"last_held\":\"2026-11-21T10:00:10Z\",\"revision\":3,\"rows\":2,"
        + "\"columns\":{\"rate\":299.0,\"bytes\":%d}}".formatted(id);
  }

  /** The rows of the messages, from their members as PostgreSQL reads them. */
  private static String insert(List<String> messages) {
    StringBuilder sql = new StringBuilder();
    for (String message : messages) {
      sql.append(
          "INSERT INTO flowmon_alerts SELECT (json_populate_record(NULL::flowmon_alerts,"
              + " ('%s'::jsonb || '{\"written_at\":\"2026-11-21T10:01:00Z\"}')::json)).*;"
                  .formatted(message));
    }
    return sql.toString();
  }

  @Test
  void whatPostgresqlKeepsIsGivenAsKafkaHasItAndKafkaAnswersIfThatIsAway() throws Exception {
    Path archive =
        TestServer.archive(folder, "end_time,src_addr,bytes\n2026-11-01T00:00:10Z,10.0.0.1,5\n");
    List<String> messages = new ArrayList<>();
    for (int id = 1; id <= 20; id++) {
      messages.add(message(id, 1 + id % 2));
    }
    EmbeddedPostgres postgres = EmbeddedPostgres.start(folder.resolve("postgres"));
    try (postgres;
        EmbeddedKafka kafka = EmbeddedKafka.start(folder.resolve("kafka"))) {
      kafka.createTopic("flowmon.alerts", 1, Map.of());
      JobEndpointsTest.send(kafka, "flowmon.alerts", messages.toArray(String[]::new));
      Optional<KafkaOptions> job =
          Optional.of(StoredReportsEndpointTest.job(folder, kafka, postgres));
      try (TestServer server =
          TestServer.start(folder, archive, Tokens.NONE, job, Duration.ofSeconds(30))) {
        String all = PATH + "?state=all&limit=100";
        JsonNode inKafka = JobEndpointsTest.until(server, all, "alerts", 20); // no table yet
        JobConfig.Postgres config = job.get().job().orElseThrow().postgres();
        PostgresAlerts.createTable(config);
        assertEquals(0, server.json(server.get(all)).get("alerts").size(), "the table is asked");
        execute(postgres, insert(messages));
        assertEquals(inKafka, server.json(server.get(all)));
        paged(server, inKafka);
        for (String asked :
            List.of(
                "?",
                "?state=resolved&analysis=mice",
                "?state=all&from=2026-11-21T10:00:03Z&to=2026-11-21T10:00:06Z")) {
          List<JsonNode> expected = new ArrayList<>();
          inKafka.get("alerts").forEach(one -> expected.add(one));
          expected.removeIf(one -> !isAsked(asked, one));
          assertTrue(!expected.isEmpty(), asked);
          JsonNode found = server.json(server.get(PATH + asked)).get("alerts");
          assertEquals(TestServer.JSON.valueToTree(expected), found, asked);
        }
        // more than Kafka has, and one that Kafka alone has
        execute(
            postgres,
            "DELETE FROM flowmon_alerts WHERE key = '10.0.0.7';" + insert(List.of(message(30, 1))));
        assertEquals(200, server.get(PATH + "/%032x".formatted(30)).statusCode());
        assertEquals(200, server.get(PATH + "/%032x".formatted(7)).statusCode());
        assertEquals(404, server.get(PATH + "/%032x".formatted(31)).statusCode());

        postgres.close();
        JsonNode away = server.json(server.get(all));
        assertEquals(inKafka.get("alerts"), away.get("alerts"));
        assertTrue(
            away.at("/warnings/0").asText().startsWith("alerts are those that Kafka still has: "),
            away.get("warnings").toString());
        assertEquals(503, server.get(PATH + "/%032x".formatted(31)).statusCode());
      }
    }
  }

  private static boolean isAsked(String asked, JsonNode one) {
    String since = one.get("since").asText();
    return switch (asked) {
      case "?" -> one.get("state").asText().equals("firing");
      case "?state=resolved&analysis=mice" ->
          one.get("state").asText().equals("resolved")
              && one.get("analysis").asText().equals("mice");
      default ->
          since.compareTo("2026-11-21T10:00:03Z") >= 0
              && since.compareTo("2026-11-21T10:00:06Z") < 0;
    };
  }

  private static void paged(TestServer server, JsonNode all) throws Exception {
    for (int limit : List.of(1, 3, 7, 20)) {
      List<JsonNode> paged = new ArrayList<>();
      String cursor = "";
      do {
        JsonNode page = server.json(server.get(PATH + "?state=all&limit=" + limit + cursor));
        page.get("alerts").forEach(paged::add);
        cursor = page.get("next").isNull() ? "" : "&cursor=" + page.get("next").asText();
      } while (!cursor.isEmpty());
      assertEquals(all.get("alerts"), TestServer.JSON.valueToTree(paged), "by " + limit);
    }
  }

  private static void execute(EmbeddedPostgres postgres, String sql) throws Exception {
    try (Connection connection =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }
}
