package org.flowmon.it;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.deploy.demo.Demo;
import org.flowmon.deploy.demo.service.DemoOptions;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.flowmon.ingest.synthetic.Incidents;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The demo as a user runs it: every flow is accounted for, and it finds what is hidden in it. */
final class DemoIT {
  private static final long SEED = 7;

  @TempDir Path directory;

  @Test
  void everyFlowIsStoredAndAllThatIsPlantedIsFoundAndNothingElse() throws Exception {
    Path place = directory.resolve("demo");
    DemoOptions options =
        new DemoOptions(Duration.ofSeconds(60), 10_000, List.of(), true, place, SEED, 1_000_000, 2);
    ByteArrayOutputStream result = new ByteArrayOutputStream();
    ByteArrayOutputStream progress = new ByteArrayOutputStream();
    boolean balanced =
        new Demo(options, new PrintStream(progress, true, StandardCharsets.UTF_8))
            .run(new PrintStream(result, true, StandardCharsets.UTF_8))
            .balances();
    String said = "seed " + SEED + "\n" + progress.toString(StandardCharsets.UTF_8);
    JsonNode json = new ObjectMapper().readTree(result.toByteArray());
    assertTrue(balanced, () -> json + said);
    assertTrue(json.get("sent").asLong() > 0, said);
    assertTrue(said.contains("pgpass psql -h 127.0.0.1 -p "), said);
    assertEquals(json.get("sent").asLong(), json.get("stored").asLong(), said);
    assertTrue(json.get("dropped").isEmpty(), said);
    assertEquals(1_000_000, json.get("preloaded").asLong(), said);
    assertEquals(
        1_000_000 + json.get("sent").asLong(), json.get("archive").get("rows").asLong(), said);
    assertTrue(json.get("reports").get("elephants").asLong() >= 3, said);

    JsonNode detection = json.get("detection");
    assertEquals(6, detection.get("planted").asInt(), said);
    assertEquals(6, detection.get("found").asInt(), detection + said);
    assertEquals(0, detection.get("missed").asInt(), detection + said);
    assertEquals(0, detection.get("false").asInt(), detection + said);
    detection.get("seconds").forEach(one -> assertTrue(one.asDouble() <= 90, detection + said));
    assertTrue(said.contains("  FOUND   scan: ") && said.contains("  PLANTED scan: "), said);

    Incidents truth = new TrafficModel(SEED, TrafficOptions.demo()).incidents();
    assertEquals(Set.of(truth.newHeavyTalker().toString()), reportedAsNew(place), said);
  }

  /** The sources that elephants called new, from the database that the demo left behind. */
  static Set<String> reportedAsNew(Path place) throws Exception {
    Set<String> sources = new TreeSet<>();
    try (EmbeddedPostgres postgres = EmbeddedPostgres.start(place.resolve("postgres"));
        Connection connection =
            DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
        Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT DISTINCT host(src_addr) FROM report_elephants WHERE verdict = 'new'")) {
      while (rows.next()) {
        sources.add(rows.getString(1));
      }
    }
    return sources;
  }
}
