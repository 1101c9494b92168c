package org.flowmon.bench.systems;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.flowmon.bench.Bench;
import org.flowmon.bench.systems.Combination.Factor;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.ingest.synthetic.SyntheticFlow;
import org.flowmon.it.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The comparison of systems at a small size. */
final class SystemsBenchTest {
  @TempDir Path folder;

  private CommandRun run(String... arguments) {
    List<String> all = new ArrayList<>(List.of("systems", "--json"));
    all.addAll(List.of("--plot", folder.resolve("plot.svg").toString()));
    all.addAll(List.of(arguments));
    return CommandRun.of(Bench.commandLine(), all.toArray(new String[0]));
  }

  private static JsonNode rows(CommandRun run) throws Exception {
    assertEquals(ExitCodes.DONE, run.code(), run.err());
    return new ObjectMapper().readTree(run.out()).path("results");
  }

  @Test
  void everyInstalledSystemGivesTheRightAnswersAndOthersAreSaidToBeMissing() throws Exception {
    List<String> measured = new ArrayList<>();
    for (JsonNode row : rows(run("--quick"))) {
      StudySystem system = StudySystem.of(row.path("system").asText());
      measured.add(system.label());
      if (!system.missing().isEmpty()) {
        assertEquals("not installed", row.path("rows").asText());
        assertEquals("-", row.path("b_second_ms").asText(), row::toString);
        continue;
      }
      assertEquals(2000, row.path("rows").asInt(), row::toString);
      for (String figure : List.of("rows_per_second", "disk_mb", "a_second_ms", "b_second_ms")) {
        assertTrue(row.path(figure).asDouble() > 0, figure + " in " + row);
      }
    }
    for (StudySystem system : StudySystem.values()) {
      int rows = system.missing().isEmpty() ? 2 : 1;
      assertEquals(rows, Collections.frequency(measured, system.label()), measured::toString);
    }
  }

  @Test
  void allLayoutsOfADatabaseGiveTheRightAnswers() throws Exception {
    JsonNode rows = rows(run("--rows=3000", "--single-rows=40", "--systems=flowmon,sqlite"));
    int flowmon = 3 + 1; // transactions, other data
    int sqlite = 2 * 4 + 2 + 4; // fields and indexes, transactions, indexes with other data
    assertEquals(flowmon + sqlite, rows.size(), rows::toString);
    for (JsonNode row : rows) {
      boolean isSingle = row.path("transaction").asText().equals("1");
      assertEquals(isSingle ? 40 : 3000, row.path("rows").asInt(), row::toString);
    }
    String plot = Files.readString(folder.resolve("plot.svg"));
    assertTrue(plot.contains("Query B again"), plot);
    assertTrue(plot.contains("sqlite, integer, worst"), plot);
  }

  @Test
  void eachValueMeetsEachOtherOnceForASystemThatHasTheFactor() {
    Combination.Values values =
        new Combination.Values(
            List.of("usual", "worst"),
            List.of("integer", "native"),
            List.of("none", "A"),
            List.of("1000", "1"));
    assertEquals(16, Set.copyOf(values.combinations(Set.of(Factor.values()))).size());
    assertEquals(
        List.of(
            new Combination("usual", "own", "own", "1000"),
            new Combination("usual", "own", "own", "1"),
            new Combination("worst", "own", "own", "1000"),
            new Combination("worst", "own", "own", "1")),
        values.combinations(Set.of(Factor.TRANSACTIONS)));
  }

  @Test
  void anUnknownSystemIsMisuse() {
    CommandRun run = run("--systems=oracle");
    assertEquals(ExitCodes.USAGE, run.code());
    assertTrue(run.err().contains("no system oracle; there are [flowmon, "), run.err());
  }

  @Test
  void aWrongAnswerEndsTheCommandAndNamesItsSystem() {
    List<SyntheticFlow> flows = StudyFlows.generate("usual", 3000, 1);
    for (StudyQuery query : StudyQuery.values()) {
      List<long[]> right = query.expected(flows);
      List<long[]> answer = ordered(query, query.expected(flows));
      SystemsBench.check("sqlite", query, answer, right);
      assertWrong(query, answer.subList(1, answer.size()), right, "expected " + right.size());
      answer.get(5)[0]++;
      assertWrong(query, answer, right, "expected [");
    }
    List<long[]> right = StudyQuery.B.expected(flows);
    assertWrong(StudyQuery.B, right, right, "more bytes than the row before");
  }

  private static List<long[]> ordered(StudyQuery query, List<long[]> rows) {
    List<long[]> ordered = new ArrayList<>(rows);
    if (query == StudyQuery.B) {
      ordered.sort((one, other) -> Long.compare(other[7], one[7]));
    }
    return ordered;
  }

  private static void assertWrong(
      StudyQuery query, List<long[]> answer, List<long[]> right, String what) {
    CommandException thrown =
        assertThrows(
            CommandException.class, () -> SystemsBench.check("sqlite", query, answer, right));
    assertTrue(
        thrown.getMessage().startsWith("wrong answer to " + query + " of sqlite: "),
        thrown.getMessage());
    assertTrue(thrown.getMessage().contains(what), thrown.getMessage());
  }

  @Test
  void hostsOfTheWorstCaseDoNotRepeat() {
    assertEquals(3000, sources(StudyFlows.generate(StudyFlows.WORST, 3000, 1)));
    assertTrue(sources(StudyFlows.generate("usual", 3000, 1)) < 2000);
  }

  private static long sources(List<SyntheticFlow> flows) {
    return flows.stream().mapToLong(FlowField.SRC_ADDR::of).distinct().count();
  }
}
