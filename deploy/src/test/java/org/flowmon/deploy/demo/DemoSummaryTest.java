package org.flowmon.deploy.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

final class DemoSummaryTest {
  private static final DemoSummary SUMMARY =
      new DemoSummary(
          1_000,
          990,
          5_000,
          Map.of("no_template", 10L),
          Map.of("elephants", 6L),
          2.0,
          new DemoSummary.ArchiveFacts(Path.of("/demo/archive"), 5_990, 123_456, 3),
          500_000_000);

  @Test
  void theJsonHasEveryMemberAndNothingElse() throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    SUMMARY.writeJson(out);
    JsonNode json = new ObjectMapper().readTree(out.toByteArray());
    Set<String> names = new TreeSet<>();
    json.fieldNames().forEachRemaining(names::add);
    assertEquals(
        Set.of(
            "sent",
            "stored",
            "preloaded",
            "dropped",
            "reports",
            "flows_per_second",
            "seconds",
            "archive",
            "peak_memory_bytes"),
        names);
    assertEquals(1_000, json.get("sent").asLong());
    assertEquals(990, json.get("stored").asLong());
    assertEquals(5_000, json.get("preloaded").asLong());
    assertEquals(10, json.get("dropped").get("no_template").asLong());
    assertEquals(6, json.get("reports").get("elephants").asLong());
    assertEquals(500.0, json.get("flows_per_second").asDouble());
    assertEquals(2.0, json.get("seconds").asDouble());
    assertEquals(5_990, json.get("archive").get("rows").asLong());
    assertEquals(123_456, json.get("archive").get("bytes").asLong());
    assertEquals(3, json.get("archive").get("segments").asLong());
    assertEquals("/demo/archive", json.get("archive").get("path").asText());
    assertEquals(500_000_000, json.get("peak_memory_bytes").asLong());
  }

  @Test
  void whatIsNotAccountedForIsSaid() {
    assertTrue(SUMMARY.balances());
    DemoSummary lost =
        new DemoSummary(
            1_000, 980, 0, Map.of("no_template", 10L), Map.of(), 1, SUMMARY.archive(), 1);
    assertFalse(lost.balances());
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    lost.writeText(new PrintStream(out, true, StandardCharsets.UTF_8));
    String text = out.toString(StandardCharsets.UTF_8);
    assertTrue(text.contains("10 flows are not accounted for"), text);
  }

  @Test
  void memoryOfThisProcessIsKnownOnLinux() {
    try (PeakMemory memory = new PeakMemory(ProcessHandle.current().pid())) {
      assertTrue(memory.bytes() > 10_000_000, "bytes " + memory.bytes());
    }
    assertEquals(0, PeakMemory.kilobytes(Path.of("/no/such/file"), "VmHWM:"));
  }
}
