package org.flowmon.bench.systems;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.flowmon.bench.Bench;
import org.flowmon.bench.archive.Answer;
import org.flowmon.bench.systems.FlowData.Diversity;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.ExitCodes;
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

  @Test
  void allLayoutsOfTwoSystemsGiveTheRightAnswers() throws Exception {
    CommandRun run =
        run("--rows=3000", "--single-rows=40", "--systems=flowmon,sqlite", "--seed=7");
    assertEquals(ExitCodes.DONE, run.code(), run.err());
    int loads = 0;
    int queries = 0;
    int steps = 0;
    for (JsonNode row : new ObjectMapper().readTree(run.out()).path("results")) {
      String table = row.path("table").asText();
      if (table.startsWith("systems, loading")) {
        loads++;
        boolean isSingle = row.path("transaction").asInt() == 1;
        assertEquals(isSingle ? 40 : 3000, row.path("rows").asInt(), row::toString);
        assertTrue(row.path("rows_per_second").asLong() > 0, row::toString);
        assertTrue(row.path("disk_mb").asDouble() > 0, row::toString);
      } else if (table.startsWith("systems, queries")) {
        queries++;
        assertTrue(row.path("a_second_ms").asDouble() > 0, row::toString);
        assertTrue(row.path("b_second_ms").asDouble() > 0, row::toString);
      } else {
        steps++;
      }
    }
    // SQLite: fields × indexes, two more transactions, four indexes with other data.
    int combinations = 2 * 4 + 2 + 4 + 3 + 1;
    assertEquals(List.of(combinations, combinations, 10 * combinations), List.of(loads, queries, steps));
    String plot = Files.readString(folder.resolve("plot.svg"));
    assertTrue(plot.contains("worst data, integer fields, indexes B"), plot);
    assertTrue(plot.contains("sqlite, B first"), plot);
  }

  @Test
  void unknownValuesOfFactorsAreMisuse() {
    CommandRun run = run("--indexes=C");
    assertEquals(ExitCodes.USAGE, run.code());
    assertTrue(run.err().contains("--indexes: expected [none, 0, A, B], found C"), run.err());
  }

  @Test
  void anAnswerThatDiffersEndsTheCommandAndNamesItsSystem() {
    FlowData data = FlowData.generate(Diversity.USUAL, 3000, 1);
    for (StudyQuery query : StudyQuery.values()) {
      Answer.Summary right = query.summary(query.expected(data, 3000));
      Answer other = query.expected(data, 3000);
      other.column(1)[0]++;
      CommandException thrown =
          assertThrows(
              CommandException.class, () -> SystemsBench.check("sqlite", query, other, right));
      assertTrue(thrown.getMessage().contains("query " + query + ": sqlite has "), thrown.getMessage());
    }
  }

  @Test
  void hostsOfTheWorstCaseDoNotRepeat() {
    for (Diversity diversity : Diversity.values()) {
      FlowData data = FlowData.generate(diversity, 3000, 1);
      long sources =
          IntStream.range(0, data.rows())
              .mapToLong(row -> data.get(FlowField.SRC_ADDR, row))
              .distinct()
              .count();
      assertEquals(diversity == Diversity.WORST, sources == 3000, diversity + ": " + sources);
    }
  }
}
