package org.flowmon.bench.serve;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.bench.Bench;
import org.flowmon.it.CommandRun;
import org.junit.jupiter.api.Test;

/** Each part runs at a small size; an answer that is not good would end it. */
class ServeBenchTest {
  @Test
  void eachPartHasItsFigures() throws Exception {
    CommandRun run =
        CommandRun.of(Bench.commandLine(), "serve", "--quick", "--for=500ms", "--json");
    assertEquals(0, run.code(), run.err());
    List<JsonNode> rows = new ArrayList<>();
    new ObjectMapper().readTree(run.out()).path("results").forEach(rows::add);
    JsonNode beside = row(rows, "request", "all");
    assertTrue(beside.path("alone").asInt() > 0 && beside.path("then").asInt() > 0, run.out());
    assertTrue(beside.path("p99_ratio").asDouble() > 0, run.out());
    assertTrue(rows.stream().anyMatch(row -> row.has("flows_a_second")), run.out());
    assertEquals(200, row(rows, "idle_clients", "200").path("idle_clients").asInt());
    assertTrue(row(rows, "pages", "in memory").path("first_ms").asDouble() > 0, run.out());
  }

  private static JsonNode row(List<JsonNode> rows, String column, String value) {
    return rows.stream()
        .filter(row -> row.path(column).asText().equals(value))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + column + " " + value + " in " + rows));
  }
}
