package org.flowmon.bench.live;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.flowmon.bench.Bench;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Experiments run at a small size and leave a table and a picture. */
class LiveExperimentsTest {
  @TempDir Path folder;

  private JsonNode run(String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("live"));
    all.addAll(List.of(arguments));
    Stream.of("--json", "--plot", folder.resolve("plot.svg").toString()).forEach(all::add);
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      assertEquals(0, Bench.commandLine().execute(all.toArray(new String[0])));
    } finally {
      System.setOut(before);
    }
    return new ObjectMapper().readTree(printed.toString(StandardCharsets.UTF_8)).path("results");
  }

  @Test
  void queriesGiveACostForEachNumberAndKindOfSharing() throws Exception {
    JsonNode rows = run("queries", "--flows", "3000", "--rounds", "1");
    assertEquals(6 * 6, rows.size()); // numbers of queries by kinds of sharing
    for (JsonNode row : rows) {
      assertTrue(row.path("ns_per_flow").asDouble() > 0, row.toString());
    }
    assertTrue(Files.readString(folder.resolve("plot.svg")).contains("sharing filter and keys"));
  }

  @Test
  void eachAnalysisHasACostBesideThatOfTheFive() throws Exception {
    JsonNode rows =
        run("analyses", "--flows", "5000", "--rounds", "1", "--only", "five|all|elephants|scans");
    assertEquals(4, rows.size());
    assertEquals(1.0, rows.get(0).path("times_five").asDouble(), rows.toString());
    for (JsonNode row : rows) {
      assertTrue(row.path("low_level_ns").asDouble() > 0, row.toString());
      assertTrue(row.path("groups_per_flow").asDouble() > 0, row.toString());
    }
    // All send the groups of elephants and scans, too, unless one table serves several.
    double alone = rows.get(2).path("groups_per_flow").asDouble();
    assertTrue(rows.get(1).path("groups_per_flow").asDouble() > alone, rows.toString());
  }

  @Test
  void everyWindowOfTheTopicIsReported() throws Exception {
    // 20,000 flows at 1,000 a second end within 12:00:00 less 20 s and less 0.1 s.
    JsonNode rows =
        run(
            "windows",
            "--flows",
            "20000",
            "--density",
            "1000",
            "--windows",
            "1,10",
            "--analyses",
            "mice");
    assertEquals(2, rows.size());
    assertEquals(1000, rows.get(0).path("needed_each_second").asLong());
    assertTrue(rows.get(0).path("windows_reported").asInt() >= 20, rows.toString());
    assertTrue(rows.get(1).path("windows_reported").asInt() >= 2, rows.toString());
    assertTrue(Files.readString(folder.resolve("plot.svg")).contains("to be exceeded for 1 s"));
  }

  @Test
  void answersOfFunctionsHoldWhatTheySayOfTheFlows() throws Exception {
    JsonNode rows = run("functions", "--flows", "40000", "--density", "1000", "--rounds", "1");
    assertEquals(1, rows.size());
    assertEquals(4, rows.get(0).path("analyses").asInt());
    assertTrue(rows.get(0).path("rows_checked").asInt() > 60, rows.toString());
    assertTrue(
        rows.get(0).path("answers_as_certain").asInt()
            >= 3 * rows.get(0).path("rows_checked").asInt(),
        rows.toString());
  }
}
