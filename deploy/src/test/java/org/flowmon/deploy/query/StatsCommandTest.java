package org.flowmon.deploy.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.flowmon.deploy.CommandRun;
import org.flowmon.deploy.export.ExportedFlows;
import org.flowmon.flow.FlowColumn;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StatsCommandTest {
  @TempDir Path folder;

  /** The rows of table {@code groups} by their first column. */
  private static Map<String, Map<String, String>> groups(String json) throws Exception {
    Map<String, Map<String, String>> groups = new HashMap<>();
    try (JsonParser parser = new JsonFactory().createParser(json)) {
      while (!"groups".equals(parser.currentName())
          || parser.nextToken() != JsonToken.START_ARRAY) {
        parser.nextToken();
      }
      while (parser.nextToken() == JsonToken.START_OBJECT) {
        Map<String, String> row = new HashMap<>();
        String key = null;
        boolean first = true;
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
          String name = parser.currentName();
          String value = parser.nextToken() == JsonToken.VALUE_NULL ? null : parser.getText();
          key = first ? value : key;
          first = false;
          row.put(name, value);
        }
        groups.put(String.valueOf(key), row);
      }
    }
    return groups;
  }

  @Test
  void everyStatisticIsThatOfBruteForceWhateverTheValues() throws Exception {
    for (long seed = 1; seed <= 10; seed++) {
      Path archive = ExportedFlows.archive(folder.resolve("a" + seed), seed, 700, true);
      List<Map<FlowColumn, Object>> rows = ExportedFlows.rows(archive);
      FlowColumn[] values = {FlowColumn.BYTES, FlowColumn.DURATION, FlowColumn.SRC_PORT};
      FlowColumn[] keys = {FlowColumn.OUTGOING, FlowColumn.SRC_ADDR, FlowColumn.SERVICE};
      FlowColumn value = values[(int) (seed % 3)];
      FlowColumn key = keys[(int) (seed / 3 % 3)];
      Map<String, List<Long>> expected = new HashMap<>();
      for (Map<FlowColumn, Object> row : rows) {
        if (row.get(value) != null) {
          Object by = row.get(key);
          String name =
              key == FlowColumn.OUTGOING && by != null
                  ? ((Long) by == 1 ? "true" : "false")
                  : String.valueOf(by);
          expected.computeIfAbsent(name, k -> new ArrayList<>()).add((Long) row.get(value));
        }
      }
      CommandRun said =
          CommandRun.of(
              "stats",
              "--archive",
              archive,
              value.sqlName(),
              "--by",
              key.sqlName(),
              "--quantiles",
              "0,0.5,0.95,1",
              "--json");
      assertEquals(0, said.code(), said.err());
      Map<String, Map<String, String>> found = groups(said.out());
      String what = "seed " + seed + ", " + value + " by " + key;
      assertEquals(expected.keySet(), found.keySet(), what);
      for (String group : expected.keySet()) {
        check(expected.get(group), found.get(group), what + ", group " + group);
      }
    }
  }

  @Test
  void theHalvesOfAnArchiveSayWhatTheWholeSays() throws Exception {
    int all = 0;
    for (long seed = 1; seed <= 3; seed++) {
      Path whole = ExportedFlows.archive(folder.resolve("w" + seed), seed, 700, true);
      Path one = folder.resolve("one" + seed);
      Path two = folder.resolve("two" + seed);
      ExportedFlows.parts(List.of(one, two), seed, 700, true);
      List<Object> asked =
          List.of("stats", "bytes", "--by", "src_addr", "--quantiles", "0.5", "--json");
      List<Object> ofWhole = new ArrayList<>(asked);
      ofWhole.addAll(List.of("--archive", whole));
      List<Object> ofBoth = new ArrayList<>(asked);
      ofBoth.addAll(List.of("--archive", one, "--archive", two));
      CommandRun expected = CommandRun.of(ofWhole.toArray());
      assertEquals(expected, CommandRun.of(ofBoth.toArray()), "seed " + seed);
      all += groups(expected.out()).size();
    }
    assertTrue(all > 10, all + " groups");
  }

  private static void check(List<Long> values, Map<String, String> found, String what) {
    Collections.sort(values);
    int n = values.size();
    BigInteger sum = BigInteger.ZERO;
    BigDecimal squares = BigDecimal.ZERO;
    for (long value : values) {
      sum = sum.add(BigInteger.valueOf(value));
    }
    BigDecimal mean = new BigDecimal(sum).divide(BigDecimal.valueOf(n), MathContext.DECIMAL128);
    for (long value : values) {
      squares = squares.add(BigDecimal.valueOf(value).subtract(mean).pow(2));
    }
    assertEquals(n, Integer.parseInt(found.get("count")), what);
    assertEquals(sum.toString(), found.get("sum"), what);
    assertEquals(values.get(0).toString(), found.get("min"), what);
    assertEquals(values.get(n - 1).toString(), found.get("max"), what);
    assertEquals(mean.doubleValue(), Double.parseDouble(found.get("mean")), what);
    if (n < 2) {
      assertNull(found.get("stddev"), what);
    } else {
      double deviation = Math.sqrt(squares.doubleValue() / (n - 1));
      assertEquals(deviation, Double.parseDouble(found.get("stddev")), 1e-9 * deviation, what);
    }
    assertEquals(values.get((n + 1) / 2 - 1).toString(), found.get("q0.5"), what);
    assertEquals(values.get((int) Math.ceil(0.95 * n) - 1).toString(), found.get("q0.95"), what);
    assertEquals(found.get("min"), found.get("q0.0"), what);
    assertEquals(found.get("max"), found.get("q1.0"), what);
  }

  @Test
  void aQuantileIsTheSmallestValueThatAtLeastTheShareDoesNotExceed() throws Exception {
    List<String> shares = new ArrayList<>();
    for (int thousandths = 0; thousandths <= 1000; thousandths += 5) {
      shares.add(String.valueOf(Double.parseDouble(thousandths + "e-3")));
    }
    // The groups of rows 1, 2 … of an archive, so that there are many counts.
    long seed = 1;
    SplittableRandom random = new SplittableRandom(seed);
    List<List<Long>> groups = new ArrayList<>();
    StringBuilder csv = new StringBuilder("end_time,bytes,dst_port\n");
    for (int count = 1; count <= 200; count++) {
      List<Long> values = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        values.add(random.nextLong(2L * count));
        csv.append("1,").append(values.get(i)).append(',').append(count).append('\n');
      }
      groups.add(values);
    }
    Path input = Files.writeString(folder.resolve("quantiles.csv"), csv);
    Path archive = folder.resolve("quantiles");
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    CommandRun said =
        CommandRun.of(
            "stats",
            "--archive",
            archive,
            "bytes",
            "--by",
            "dst_port",
            "--quantiles",
            String.join(",", shares),
            "--json");
    assertEquals(0, said.code(), said.err());
    Map<String, Map<String, String>> found = groups(said.out());
    for (List<Long> values : groups) {
      Map<String, String> row = found.get(String.valueOf(values.size()));
      for (String share : shares) {
        BigDecimal least = new BigDecimal(share).multiply(BigDecimal.valueOf(values.size()));
        long expected = byDefinition(values, least);
        String what = "seed " + seed + ", " + values.size() + " values, share " + share;
        assertEquals(expected, Long.parseLong(row.get("q" + share)), what);
      }
    }
  }

  /** The smallest value that as many values do not exceed, without an order. */
  private static long byDefinition(List<Long> values, BigDecimal least) {
    return values.stream()
        .filter(
            candidate -> {
              long notAbove = values.stream().filter(value -> value <= candidate).count();
              return BigDecimal.valueOf(notAbove).compareTo(least) >= 0;
            })
        .mapToLong(value -> value)
        .min()
        .orElseThrow();
  }

  @Test
  void ofNothingThereIsNoQuantile() throws Exception {
    Path archive = ExportedFlows.archive(folder.resolve("none"), 1, 50, false);
    CommandRun said =
        CommandRun.of(
            "stats",
            "--archive",
            archive,
            "bytes",
            "--where",
            "FALSE",
            "--quantiles=0.5",
            "--json");
    assertEquals(0, said.code(), said.err());
    Map<String, String> all = groups(said.out()).get("all");
    assertEquals("0", all.get("count"));
    assertTrue(all.containsKey("q0.5"), said.out());
    assertNull(all.get("q0.5"));
  }

  @Test
  void expressionsOfDoublesAndConditionsAreTakenAndOthersRefused() throws Exception {
    Path input =
        Files.writeString(
            folder.resolve("in.csv"),
            "end_time,bytes,packets,dst_port\n1,10,4,53\n2,5,2,53\n3,7,,53\n4,100,1,80\n");
    Path archive = folder.resolve("archive");
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    CommandRun said =
        CommandRun.of("stats", "--archive", archive, "bytes / packets", "--where", "dst_port = 53");
    assertEquals(0, said.code(), said.err());
    assertTrue(said.out().contains("null_flows  1"), said.out());
    assertTrue(
        said.out().lines().anyMatch(l -> l.matches(" +all +2 +5 +2.5 +2.5 +2.5 +0")), said.out());
    for (String wrong : List.of("SUM(bytes)", "service", "bytes, packets", "nonsense", ":x")) {
      assertEquals(2, CommandRun.of("stats", "--archive", archive, wrong).code(), wrong);
    }
  }

  @Test
  void whatAQueryCanAnswerItAnswersTheSame() throws Exception {
    for (long seed = 1; seed <= 6; seed++) {
      Path archive = ExportedFlows.archive(folder.resolve("q" + seed), seed, 500, false);
      String value = seed % 2 == 0 ? "bytes" : "duration";
      String by = seed % 3 == 0 ? "src_addr" : "outgoing";
      CommandRun said = CommandRun.of("stats", "--archive", archive, value, "--by", by, "--json");
      assertEquals(0, said.code(), said.err());
      String sql =
          "SELECT %2$s AS k, COUNT(%1$s) AS count, SUM(%1$s) AS sum, MIN(%1$s) AS min,"
              + " MAX(%1$s) AS max, AVG(%1$s) AS mean, STDDEV(%1$s) AS stddev FROM flows"
              + " WHERE %1$s IS NOT NULL GROUP BY k";
      CommandRun asked =
          CommandRun.of(
              "query", sql.formatted(value, by), "--archive", archive, "--format", "json");
      assertEquals(0, asked.code(), asked.err());
      Map<String, Map<String, String>> expected = groups("{\"groups\":" + asked.out() + "}");
      Map<String, Map<String, String>> found = groups(said.out());
      assertEquals(expected.keySet(), found.keySet(), "seed " + seed);
      for (String group : expected.keySet()) {
        for (String name : List.of("count", "sum", "min", "max", "mean", "stddev")) {
          String one = expected.get(group).get(name);
          String other = found.get(group).get(name);
          String what = "seed " + seed + ", " + name + " of " + group;
          if (name.equals("stddev") && one != null) {
            double deviation = Double.parseDouble(one);
            assertEquals(deviation, Double.parseDouble(other), 1e-12 * deviation, what);
          } else {
            assertEquals(one, other, what);
          }
        }
      }
    }
  }
}
