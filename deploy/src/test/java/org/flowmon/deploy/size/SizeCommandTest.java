package org.flowmon.deploy.size;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.deploy.CommandRun;
import org.junit.jupiter.api.Test;

class SizeCommandTest {
  private static JsonNode size(String... more) throws Exception {
    List<String> all = new ArrayList<>(List.of("size", "--json"));
    all.addAll(List.of(more));
    CommandRun run = CommandRun.of(all.toArray());
    assertEquals(0, run.code(), run.toString());
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void eachFigureStandsInThePageOfMeasurements() throws Exception {
    String page = Files.readString(Path.of("..", "docs", "performance.md")).replaceAll("\\s+", " ");
    for (Figures.Figure figure : Figures.read().all()) {
      assertTrue(page.contains(figure.source()), figure.name() + ": " + figure.source());
      String digits =
          figure.name().equals("slot_gib")
              ? "6" // of two slots
              : String.valueOf(figure.value()).replaceAll("\\.0$", "").replace(".", "");
      assertTrue(
          figure.source().replaceAll("[.,]", "").contains(digits),
          figure + " does not stand in its source");
    }
  }

  @Test
  void numbersFollowFromTheFigures() throws Exception {
    JsonNode one = size("--flows-per-second=1000000", "--days=1", "--headroom=1");
    double archive = 0.92 - 0.30;
    double merging = 1 / 0.70 - 1 / 2.25;
    assertEquals(1.61 + archive + merging, one.get("job_cores").asDouble(), 1e-9);
    assertEquals(4, one.get("slots").asInt());
    assertEquals(86_400e6 * 38 / 1e12, one.get("disk").asDouble(), 1e-9);
    assertEquals(21_600, one.get("segments").asDouble(), 1e-6);
    assertEquals(1, one.get("archives").asInt());
    JsonNode year = size("--flows-per-second=1650000", "--days=365");
    assertEquals(1_650_000 * 86_400.0 * 365 / 4e6, year.get("segments").asDouble(), 1);
    assertEquals(14, year.get("archives").asInt());
    JsonNode alone =
        size("--flows-per-second=1000000", "--days=1", "--headroom=1", "--analyses=mice");
    assertEquals(0.62 + archive + merging, alone.get("job_cores").asDouble(), 1e-9);
  }

  @Test
  void linesFitATerminalAndSayWhatTheyFollowFrom() {
    CommandRun run = CommandRun.of("size", "--flows-per-second=16500000", "--days=365");
    assertEquals(0, run.code(), run.toString());
    run.out().lines().forEach(line -> assertTrue(line.length() <= 80 && line.length() > 48, line));
  }

  @Test
  void badInputIsExplained() {
    assertSays("--days is 1 … 36,500, found 0", "--flows-per-second=1", "--days=0");
    assertSays("--flows-per-second is 1 …", "--flows-per-second=NaN", "--days=1");
    assertSays(
        "'beacons' has no measured cost", "--flows-per-second=1", "--days=1", "--analyses=beacons");
    assertSays(
        "'all' has no measured cost", "--flows-per-second=1", "--days=1", "--analyses=mice,all");
  }

  private static void assertSays(String text, String... arguments) {
    List<String> all = new ArrayList<>(List.of("size"));
    all.addAll(List.of(arguments));
    CommandRun run = CommandRun.of(all.toArray());
    assertEquals(2, run.code(), run.toString());
    assertTrue(run.err().contains(text), run.err());
  }
}
