package org.flowmon.bench.experiment;

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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.flowmon.bench.Bench;
import org.flowmon.bench.machine.PageCache;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.NodeList;

/** Every experiment runs at a small size and leaves a table and a picture with as many points. */
class ExperimentsTest {
  @TempDir Path folder;

  private static int execute(String... arguments) {
    return Bench.commandLine()
        .execute(Stream.concat(Stream.of("archive"), Stream.of(arguments)).toArray(String[]::new));
  }

  /** Runs {@code bench archive …}, checks the picture, and returns the rows of the table. */
  private JsonNode run(int lines, int points, String... arguments) throws Exception {
    return rounds(2, lines, points, arguments);
  }

  private JsonNode rounds(int rounds, int lines, int points, String... arguments) throws Exception {
    Path plot = folder.resolve("plot.svg");
    List<String> all = new ArrayList<>(Arrays.asList(arguments));
    all.addAll(List.of("--json", "--plot", plot.toString(), "--rounds", "" + rounds));
    all.addAll(List.of("--warm-up", "0"));
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      assertEquals(0, execute(all.toArray(new String[0])));
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
  void codecs() throws Exception {
    JsonNode rows =
        run(
            9,
            18,
            "codecs",
            "--rows",
            "5000",
            "--codecs",
            "none,zstd:3",
            "--page-bytes",
            "65536,262144");
    assertEquals(5, rows.size());
    assertEquals("lookup", rows.get(0).path("profile").asText());
    assertEquals("zstd:3", rows.get(4).path("codec").asText());
    assertTrue(
        rows.get(4).path("ratio_to_csv").asDouble() > rows.get(2).path("ratio_to_csv").asDouble());
    assertEquals(2, execute("codecs", "--codecs", "zip"));
  }

  @Test
  void slots() throws Exception {
    JsonNode rows =
        run(3, 6, "slots", "--rows", "20000", "--commit-rows", "5000", "--slots", "1,2");
    assertEquals(6, rows.size());
    assertEquals(2, rows.get(5).path("slots").asInt());
    assertTrue(rows.get(0).path("cluster_ms").asDouble() > 0);
  }

  @Test
  void retention() throws Exception {
    JsonNode rows =
        run(4, 8, "retention", "--rows", "40000", "--keep-rows", "12000", "--commit-rows", "20000");
    assertEquals(4, rows.size());
    assertEquals("expiring", rows.get(3).path("archive").asText());
    assertEquals(12_000, rows.get(3).path("visible_rows").asInt());
    assertEquals(40_000, rows.get(2).path("visible_rows").asInt());
    assertTrue(
        rows.get(3).path("disk_bytes").asLong() < rows.get(2).path("disk_bytes").asLong(),
        rows.toString());
  }

  @Test
  void addresses() throws Exception {
    // A round is twenty lookups of each kind while another thread imports.
    String[] some = {"addresses", "--rows", "20000", "--present", "20", "--absent", "10"};
    JsonNode rows = rounds(1, 4, 68, some);
    assertEquals(2 + 2 * 18, rows.size());
    Map<String, JsonNode> lookups = new HashMap<>();
    for (JsonNode row : rows) {
      lookups.put(row.path("archive").asText() + " " + row.path("asked").asText(), row);
    }
    assertEquals(0, lookups.get("uniform absent").path("flows_mean").asDouble());
    assertTrue(lookups.get("hosts present").path("flows_mean").asDouble() >= 1);
    assertTrue(
        lookups.get("hosts /16").path("flows_mean").asDouble()
            > lookups.get("hosts /31").path("flows_mean").asDouble());
  }

  @Test
  void histogram() throws Exception {
    JsonNode rows = run(2, 4, "histogram", "--thread-counts", "2,5", "--adds", "100001");
    assertEquals(5, rows.get(1).path("threads").asInt());
    assertTrue(rows.get(1).path("adds_per_second").asDouble() > 0);
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
    JsonNode rows = run(2, 10, "lookups", "--rows", "30000", "--most-rounds", "5");
    assertEquals(6, rows.size());
    assertEquals(0, rows.get(0).path("found").asInt());
    assertTrue(rows.get(2).path("found").asInt() > rows.get(1).path("found").asInt());
    assertTrue(rows.get(5).path("found").asInt() > 0);
  }

  @Test
  void seen() throws Exception {
    JsonNode rows = run(2, 8, "seen", "--rows", "20000", "--windows", "5", "--drawn", "90");
    assertEquals(8, rows.size());
    assertEquals("new", rows.get(0).path("kind").asText());
    assertTrue(rows.get(0).path("p99").asDouble() >= rows.get(0).path("median").asDouble());
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
    Path file = Files.writeString(folder.resolve("file"), "x".repeat(1 << 16));
    boolean cold = PageCache.drop(file).isEmpty();
    int drawn = cold ? 4 : 2;
    JsonNode rows = run(drawn, drawn, "statistics", "--rows", "20000");
    for (JsonNode row : rows) {
      assertEquals(cold, row.path("cold").isNumber(), row.toString());
    }
    assertEquals("flowmon", rows.get(0).path("system").asText());
    assertEquals("csv", rows.get(1).path("system").asText());
  }

  @Test
  void scale() throws Exception {
    Path archive = folder.resolve("scale");
    String[] arguments = {
      "scale",
      "--rows",
      "40000",
      "--days",
      "3",
      "--commit-rows",
      "8192",
      "--heap",
      "512m",
      "--dir",
      archive.toString()
    };
    JsonNode built = run(2, 2, arguments);
    Map<String, JsonNode> queries = new HashMap<>();
    for (JsonNode row : built) {
      if (row.path("table").asText().equals("queries")) {
        queries.put(row.path("query").asText(), row);
        assertTrue(row.path("p99_ms").asDouble() >= row.path("p50_ms").asDouble(), row.toString());
      }
    }
    assertEquals(
        Set.of(
            "elephants/3d",
            "portscans/3d",
            "mice/3d",
            "anomaly/3d",
            "lookup_1000",
            "lookup_100",
            "lookup_absent"),
        queries.keySet());
    assertEquals(100, queries.get("mice/3d").path("answer_rows").asInt());
    assertEquals(0, queries.get("lookup_absent").path("segments_read").asInt());
    JsonNode memory = table(built, "memory");
    assertTrue(memory.path("heap_limit_mib").asDouble() <= 512, memory.toString());
    assertTrue(memory.path("heap_used_mib").asDouble() > 0, memory.toString());
    assertEquals(40_000, table(built, "loading").path("rows").asInt());
    // An existing archive is used, whatever --rows says.
    JsonNode again = run(2, 2, arguments);
    assertEquals(table(built, "loading"), table(again, "loading"));
    assertEquals(table(built, "bytes"), table(again, "bytes"));
    Files.delete(archive.resolve("scale.json"));
    assertEquals(2, execute(arguments));
  }

  private static JsonNode table(JsonNode rows, String name) {
    for (JsonNode row : rows) {
      if (row.path("table").asText().equals(name)) {
        return row;
      }
    }
    throw new AssertionError("no table " + name + " in " + rows);
  }
}
