package org.flowmon.jobs.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** The message of a job's running analyses, read by other versions. */
class RunningAnalysesTest {
  private static final String MINE =
      "{\"analysis\":\"mine\",\"change\":3,\"window\":\"PT1M\",\"slide\":\"PT20S\","
          + "\"history\":true,\"logic\":\"live\",\"sinks\":[\"kafka\"]}";
  private static final RunningAnalyses.Running READ =
      new RunningAnalyses.Running(
          "mine", 3, Duration.ofMinutes(1), Duration.ofSeconds(20), true, "live", List.of("kafka"));

  private static List<RunningAnalyses.Running> parse(String version, String running) {
    String message =
        "{%s\"said\":\"2026-11-23T10:00:00Z\",\"more\":{\"said\":1},\"running\":%s}"
            .formatted(version, running);
    return RunningAnalyses.parse(message.getBytes(StandardCharsets.UTF_8))
        .map(RunningAnalyses::analyses)
        .orElse(null);
  }

  private static List<RunningAnalyses.Running> parse(String running) {
    return parse("\"version\":1,", running);
  }

  @Test
  void whatALaterJobSaysBesidesIsSkipped() {
    assertEquals(List.of(READ), parse("[" + MINE + "]"));
    for (String more :
        List.of(
            "\"alerts\":[{\"analysis\":\"x\"},{}]",
            "\"keys\":[1,[\"a\"]]",
            "\"tags\":[\"a\",\"b\"]",
            "\"owner\":{\"logic\":\"x\",\"sinks\":[\"postgres\"]}",
            "\"since\":null")) {
      String later = MINE.substring(0, MINE.length() - 1) + "," + more + "}";
      assertEquals(List.of(READ, READ), parse("[" + later + "," + MINE + "]"), more);
    }
  }

  @Test
  void whatHasAnotherFormIsNotUnderstoodAndNeverShortened() {
    for (String running :
        List.of(
            "{}",
            "null",
            "[" + MINE + ",1]",
            "[" + MINE + ",[]]",
            "[" + MINE,
            "[{}]",
            "[" + MINE.replace("\"mine\"", "null") + "]",
            "[" + MINE.replace("\"change\":3", "\"change\":\"three\"") + "]",
            "[" + MINE.replace("PT20S", "20s") + "]",
            "[" + MINE.replace("true", "{\"delay\":\"PT20S\"}") + "]",
            "[" + MINE.replace("[\"kafka\"]", "[{\"kind\":\"kafka\"}]") + "]",
            "[" + MINE.replace("[\"kafka\"]", "\"kafka\"") + "]")) {
      assertNull(parse(running), running);
    }
    assertNull(parse("\"version\":2,", "[" + MINE + "]"));
    assertNull(parse("", "[" + MINE + "]"));
    assertEquals(Optional.empty(), RunningAnalyses.parse("[]".getBytes(StandardCharsets.UTF_8)));
    assertEquals(Optional.empty(), RunningAnalyses.parse(null));
  }
}
