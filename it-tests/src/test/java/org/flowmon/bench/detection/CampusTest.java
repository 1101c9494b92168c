package org.flowmon.bench.detection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.HashMap;
import java.util.Map;
import org.flowmon.bench.Bench;
import org.flowmon.it.CommandRun;
import org.junit.jupiter.api.Test;

/** A hundredth of the campus: {@code docs/detection.md} has the whole. */
class CampusTest {
  @Test
  void attacksOfASmallCampusAreFoundAndNobodyElseIsNamed() throws Exception {
    CommandRun run =
        CommandRun.of(
            Bench.commandLine(),
            "detection",
            "--json",
            "--share",
            "0.01",
            "--analyses",
            "brute_force,fan_out,dark_space");
    JsonNode results = new ObjectMapper().readTree(run.out()).path("results");
    Map<String, JsonNode> rows = new HashMap<>();
    results.forEach(row -> rows.put(row.path("analysis").asText(), row));
    assertEquals(3, rows.size(), run.out() + run.err());
    for (JsonNode row : rows.values()) {
      assertTrue(row.path("planted").asInt() > 0, row.toString());
      assertEquals(row.path("planted"), row.path("found"), row.toString());
      assertEquals(0, row.path("false").asInt(), row.toString());
      assertEquals(0, row.path("without_history").asInt(), row.toString());
    }
    assertEquals(0, run.code(), run.err());
  }
}
