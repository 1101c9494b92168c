package org.flowmon.deploy.bench.experiment;

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
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.flowmon.deploy.bench.ArchiveBench;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.NodeList;
import picocli.CommandLine;

/** Every experiment runs, small, and leaves a table and a picture of as many points. */
class ExperimentsTest {
  @TempDir Path folder;

  /** Runs {@code bench archive …}, checks the picture, and gives the rows of the table. */
  private JsonNode run(int lines, int points, String... arguments) throws Exception {
    Path plot = folder.resolve("plot.svg");
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.addAll(List.of("--json", "--plot", plot.toString(), "--rounds", "2", "--warm-up", "0"));
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      assertEquals(0, new CommandLine(new ArchiveBench()).execute(all.toArray(new String[0])));
    } finally {
      System.setOut(before);
    }
    NodeList drawn =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(plot.toFile())
            .getElementsByTagName("polyline");
    assertEquals(lines, drawn.getLength());
    assertEquals(points, Files.readString(plot).split("<circle").length - 1);
    JsonNode rows = new ObjectMapper().readTree(printed.toString(StandardCharsets.UTF_8));
    assertTrue(rows.path("results").size() > 0);
    return rows.path("results");
  }

  @Test
  void batches() throws Exception {
    JsonNode rows = run(1, 2, "batches", "--batch-rows", "1000,4000", "--rows", "8000");
    assertEquals(8, rows.get(0).path("commits").asInt());
    assertEquals(2, rows.get(1).path("commits").asInt());
  }

  @Test
  void history() throws Exception {
    JsonNode rows = run(5, 10, "history", "--rows", "20000", "--days", "1,3");
    assertEquals(10, rows.size());
    assertEquals("anomaly", rows.get(0).path("analysis").asText());
    assertTrue(rows.get(1).path("rows_fetched").asInt() > rows.get(0).path("rows_fetched").asInt());
  }

  @Test
  void lookups() throws Exception {
    JsonNode rows = run(2, 10, "lookups", "--rows", "30000");
    assertEquals(6, rows.size());
    assertEquals(0, rows.get(0).path("found").asInt());
    assertTrue(rows.get(2).path("found").asInt() > rows.get(1).path("found").asInt());
    assertTrue(rows.get(5).path("found").asInt() > 0);
  }

  @Test
  void segments() throws Exception {
    JsonNode rows =
        run(2, 4, "segments", "--segments", "10,25", "--rows", "200", "--addresses", "5");
    assertEquals(25, rows.get(1).path("segments").asInt());
    assertEquals(5000, rows.get(1).path("rows").asInt());
  }

  @Test
  void statistics() throws Exception {
    JsonNode rows = run(2, 2, "statistics", "--rows", "20000");
    assertEquals("flowmon", rows.get(0).path("system").asText());
    assertEquals("csv", rows.get(1).path("system").asText());
  }
}
