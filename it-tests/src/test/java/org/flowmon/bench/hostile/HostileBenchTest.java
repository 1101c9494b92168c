package org.flowmon.bench.hostile;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.TreeMap;
import org.flowmon.bench.Bench;
import org.flowmon.deploy.command.ExitCodes;
import org.junit.jupiter.api.Test;

/** Cases run at a small size and report harm. */
class HostileBenchTest {
  private int exitCode;

  private JsonNode run(String... arguments) throws Exception {
    PrintStream before = System.out;
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    try {
      System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
      exitCode = Bench.commandLine().execute(arguments);
    } finally {
      System.setOut(before);
    }
    return new ObjectMapper().readTree(printed.toString(StandardCharsets.UTF_8)).path("results");
  }

  /** A figure of a table, without the attack and with it. */
  private static JsonNode figure(JsonNode rows, String name, String figure) {
    for (JsonNode row : rows) {
      if (row.path("table").asText().startsWith("hostile " + name + ":")
          && row.path("figure").asText().equals(figure)) {
        return row;
      }
    }
    throw new AssertionError("no " + figure + " of " + name + " in " + rows);
  }

  @Test
  void knownExportersAreUnharmedAndEverythingIsCounted() throws Exception {
    JsonNode rows =
        run(
            "hostile",
            "--case",
            "exporters,garbage",
            "--for",
            "1s",
            "--rate",
            "1000",
            "--known",
            "0s",
            "--json");
    assertEquals(ExitCodes.DONE, exitCode, rows.toString());
    for (String name : List.of("exporters", "garbage")) {
      JsonNode sent = figure(rows, name, "good flows sent");
      assertTrue(sent.path("with").asLong() > 0, rows.toString());
      assertEquals(
          sent.path("with").asLong(),
          figure(rows, name, "good flows stored").path("with").asLong(),
          rows.toString());
      assertEquals(0, figure(rows, name, "sent by the attack").path("without").asLong());
      assertTrue(
          figure(rows, name, "sent by the attack").path("with").asLong() > 0, rows.toString());
      assertEquals("unharmed", figure(rows, name, "verdict").path("with").asText());
    }
    assertTrue(
        figure(rows, "garbage", "datagrams_dropped_unknown_version").path("with").asLong() > 0,
        rows.toString());
  }

  @Test
  void anUnknownCaseIsMisuse() throws Exception {
    run("hostile", "--case", "exporters,none");
    assertEquals(ExitCodes.USAGE, exitCode);
  }

  @Test
  void whatIsMissingIsHarm() {
    Outcome whole = outcome(1000, 0, 1 << 20, "a");
    assertEquals("unharmed", whole.verdict());
    assertEquals("999 of 1,000 good flows are stored", outcome(999, 0, 0, "a").verdict());
    assertEquals("3 are neither stored nor counted", outcome(1000, 3, 0, "a").verdict());
    assertEquals("4,096 MiB of memory", outcome(1000, 0, 4L << 30, "a").verdict());
    assertEquals(List.of(), whole.differing(outcome(1000, 0, 0, "a")));
    assertEquals(List.of("12:00"), whole.differing(outcome(1000, 0, 0, "b")));
  }

  private static Outcome outcome(long stored, long unaccounted, long peak, String report) {
    TreeMap<String, String> windows = new TreeMap<>();
    windows.put("12:00", report);
    return new Outcome(
        1000, stored, 0, 0, new TreeMap<>(), unaccounted, 1, peak, windows, List.of());
  }
}
