package org.flowmon.bench.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.flowmon.bench.Bench;
import org.flowmon.it.CommandRun;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each experiment runs at a small size and leaves its table and plots; its certain results are
 * checked. The experiments themselves check that no tuple is lost, and fail otherwise.
 */
class UdafExperimentsTest {
  @TempDir Path folder;

  private List<JsonNode> run(String name, String... columns) throws Exception {
    Path plot = folder.resolve("plot.svg");
    CommandRun run =
        CommandRun.of(
            Bench.commandLine(),
            "udaf",
            name,
            "--quick",
            "--rounds",
            "1",
            "--json",
            "--plot",
            plot.toString());
    assertEquals(0, run.code(), run.err());
    assertTrue(Files.readString(plot).contains("<polyline"), name);
    List<JsonNode> rows = new ArrayList<>();
    new ObjectMapper().readTree(run.out()).path("results").forEach(rows::add);
    for (JsonNode row : rows) {
      for (String column : columns) {
        assertTrue(row.path(column).isNumber(), column + " in " + row);
        assertTrue(row.path(column).asDouble() >= 0, column + " in " + row);
      }
    }
    return rows;
  }

  @Test
  void quickIsTakenBeforeTheExperimentTooAndColumnsAreExplained() {
    CommandRun run =
        CommandRun.of(
            Bench.commandLine(),
            "udaf",
            "--quick",
            "accuracy",
            "--rounds",
            "1",
            "--plot",
            folder.resolve("plot.svg").toString());
    assertEquals(0, run.code(), run.err());
    assertTrue(run.out().contains("  missed: not among the five"), run.out());
    List<String> said = run.err().lines().toList();
    assertEquals("--quick: figures say nothing", said.get(said.size() - 1));
    assertTrue(said.get(0).matches("numbers, uniform, 10, exact: items asked .*"), said.get(0));
  }

  private static Set<String> texts(List<JsonNode> rows, String column) {
    Set<String> texts = new HashSet<>();
    rows.forEach(row -> texts.add(row.path(column).asText()));
    return texts;
  }

  @Test
  void aSecondChanceNeedsFewerSlotsThanDirectMapping() throws Exception {
    List<JsonNode> all = run("tables", "groups", "slots");
    List<JsonNode> rows = all.stream().filter(row -> row.has("slots_per_group")).toList();
    int pairs = 0;
    for (int r = 0; r + 1 < rows.size(); r++) {
      JsonNode direct = rows.get(r);
      JsonNode second = rows.get(r + 1);
      if (direct.path("rule").asText().equals("direct mapped")) {
        assertEquals("second chance", second.path("rule").asText());
        assertTrue(second.path("slots").asLong() <= direct.path("slots").asLong(), rows::toString);
        pairs++;
      }
    }
    assertEquals(10, pairs);
    List<JsonNode> tables = all.stream().filter(row -> row.has("sum_ns")).toList();
    assertEquals(20, tables.size());
    assertEquals(Set.of("direct mapped", "second chance"), texts(tables, "rule"));
    for (JsonNode table : tables) {
      assertTrue(table.path("count_min_max_ns").asDouble() > 0, table::toString);
      assertTrue(table.path("sum_ns").asDouble() > 0, table::toString);
      assertTrue(table.path("evicting_share").asDouble() <= 0.05, table::toString);
    }
  }

  @Test
  void bothDrainsAreMeasuredForEachNumberOfGroups() throws Exception {
    List<JsonNode> rows =
        run("drain", "groups", "queries", "median_ms", "longest_ms", "lost_share");
    assertEquals(6, rows.size());
    assertEquals(Set.of("eager", "lazy"), texts(rows, "drain"));
    for (JsonNode row : rows) {
      assertTrue(row.path("lost_share").asDouble() < 1, row::toString);
      assertTrue(row.path("longest_ms").asDouble() >= row.path("median_ms").asDouble());
    }
  }

  @Test
  void everyStrategyHasItsCostBesideTheBaselines() throws Exception {
    List<JsonNode> rows =
        run("strategies", "groups", "low_ns", "high_ns", "total_ns", "sub_states");
    assertEquals(2 * 2 * (13 + 7), rows.size());
    Set<String> strategies = texts(rows, "strategy");
    Set<String> hitters = new TreeSet<>(Set.of("sketch/sketch"));
    for (String high : List.of("direct", "adaptive", "frequent")) {
      hitters.addAll(Set.of("buffer/" + high, "hash/" + high, "compress/" + high));
    }
    assertTrue(strategies.containsAll(hitters), strategies::toString);
    assertTrue(
        strategies.containsAll(Set.of("lite", "medium", "heavy", "kll")), strategies::toString);
    for (JsonNode row : rows) {
      long states = row.path("sub_states").asLong();
      if (row.path("strategy").asText().startsWith("high only")) {
        assertEquals(21_504, states, row::toString); // each tuple by itself
      } else if (row.path("strategy").asText().equals("null")) {
        assertTrue(states <= row.path("groups").asLong(), row::toString);
      }
    }
  }

  @Test
  void scratchpadsOfThreeSizesAreMeasured() throws Exception {
    List<JsonNode> rows = run("scratchpads", "words", "low_ns", "high_ns", "bytes_sent_per_tuple");
    assertEquals(2 * 3 * 4, rows.size());
    assertEquals(Set.of("64", "256", "1024"), texts(rows, "words"));
    assertEquals(Set.of("null", "lite", "medium", "heavy"), texts(rows, "strategy"));
  }

  @Test
  void groupsOfFewValuesStaySmall() throws Exception {
    List<JsonNode> rows = run("values", "values", "low_ns", "high_ns", "state_bytes_per_group");
    assertEquals(3 * 9, rows.size());
    assertEquals(Set.of("10", "120", "1436"), texts(rows, "values"));
    for (JsonNode few : rows) {
      if (few.path("values").asInt() == 10 && few.path("function").asText().contains("medium")) {
        assertEquals(100, few.path("sub_states").asInt(), few::toString); // no pad was full
      }
    }
  }

  @Test
  void costIsMeasuredAgainstGroups() throws Exception {
    List<JsonNode> rows = run("groups", "groups", "low_ns", "high_ns");
    assertEquals(5 * 5, rows.size());
    assertEquals(Set.of("10", "30", "100", "300", "1000"), texts(rows, "groups"));
  }

  @Test
  void withAHigherThresholdMoreGroupsStayExact() throws Exception {
    List<JsonNode> rows = run("thresholds", "exact", "state_bytes_per_tuple", "exact_share");
    assertEquals(2 * 3 * 3, rows.size());
    for (int r = 0; r < rows.size(); r++) {
      if (r % 3 > 0) {
        assertTrue(
            rows.get(r).path("exact_share").asDouble()
                >= rows.get(r - 1).path("exact_share").asDouble(),
            rows::toString);
      }
    }
    assertTrue(rows.stream().anyMatch(row -> row.path("exact_share").asDouble() < 1));
  }

  @Test
  void whatIsChosenStandsBesideEverythingThatCouldHaveBeenSaid() throws Exception {
    List<JsonNode> rows = run("tuning", "best_fixed_ns", "auto_ns", "ratio", "whole_ratio");
    assertEquals(2 * (2 * 2 * 2 + 1), rows.size()); // 10,000 groups and more are left out
    for (JsonNode row : rows) {
      String chosen = row.path("chosen").asText();
      String name = row.path("case").asText();
      assertEquals(name.startsWith("QUANTILES"), chosen.startsWith("QUANTILES "), row::toString);
      assertTrue(chosen.endsWith(" slots"), row::toString);
      int fixed = row.path("fixed").asText().split(", ", -1).length;
      assertEquals(3, fixed, row::toString);
    }
  }

  @Test
  void whatIsExactFindsAllAtTheirPlaces() throws Exception {
    List<JsonNode> rows =
        run("accuracy", "items_asked", "exact", "off_by_one", "further_off", "missed");
    assertEquals(2 * 2 * 4 * 4, rows.size());
    boolean anyMissed = false;
    for (JsonNode row : rows) {
      double all =
          row.path("exact").asDouble()
              + row.path("off_by_one").asDouble()
              + row.path("further_off").asDouble()
              + row.path("missed").asDouble();
      assertEquals(1, all, 1e-9, row::toString);
      boolean few = row.path("different").asText().equals("10");
      String strategy = row.path("strategy").asText();
      if (strategy.equals("exact") || (few && strategy.equals("adaptive"))) {
        assertEquals(1, row.path("exact").asDouble(), row::toString);
      }
      anyMissed |= row.path("missed").asDouble() > 0;
    }
    assertTrue(anyMissed, "an experiment in which nothing is approximate shows nothing");
  }
}
