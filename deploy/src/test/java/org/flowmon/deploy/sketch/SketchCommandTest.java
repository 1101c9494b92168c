package org.flowmon.deploy.sketch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.deploy.CommandRun;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.junit.jupiter.api.Test;

/** States in files, as bytes and as text: the results are compared with the rows themselves. */
class SketchCommandTest extends SketchFixture {
  private static JsonNode json(CommandRun run) throws Exception {
    assertEquals(0, run.code(), run.err());
    return new ObjectMapper().readTree(run.out());
  }

  @Test
  void quantilesOfBytesAndTextTogetherAreThoseOfAllRows() throws Exception {
    BoundUdaf quantiles = function("QUANTILES", ValueKind.LONG);
    Random random = new Random(SEED);
    long[][] parts = new long[5][];
    byte[][] states = new byte[5][];
    List<Long> all = new ArrayList<>();
    for (int p = 0; p < parts.length; p++) {
      parts[p] = random.longs(4000, 0, 1_000_000).toArray();
      Arrays.stream(parts[p]).forEach(all::add);
      states[p] = state(quantiles, numbers(parts[p]));
    }
    all.sort(null);
    Path bytes = file("a.state", states[0], states[1]);
    Path texts = textFile("b.txt", states[2], states[3], states[4]);
    JsonNode answer =
        json(CommandRun.of("sketch", "query", "QUANTILE(0.95)", bytes, texts, "--json"));
    assertEquals("QUANTILES(LONG, 0.01)", answer.path("function").asText());
    assertEquals(5, answer.path("states").asInt());
    JsonNode row = answer.path("answers").path(0);
    assertEquals("ranks", row.path("bound_of").asText());
    assertEquals(20_000, row.path("of").asLong(), "ranks of so many rows");
    assertEquals(1, row.path("probability").asDouble());
    double ranks = row.path("bound").asDouble();
    assertTrue(ranks > 0 && ranks <= 200, "seed " + SEED + ": " + row);
    int rank = 19_000;
    long value = row.path("value").asLong();
    assertTrue(all.get((int) (rank - 1 - ranks)) <= value, "seed " + SEED + ": " + row);
    assertTrue(all.get((int) (rank - 1 + ranks)) >= value, "seed " + SEED + ": " + row);
    long exact = all.get(rank - 1);
    assertTrue(row.path("lower").asLong() <= exact, row::toString);
    assertTrue(row.path("upper").asLong() >= exact, row::toString);
    for (String count : List.of("COUNT", "count()", "COUNT(state)")) {
      JsonNode counted = json(CommandRun.of("sketch", "query", count, bytes, texts, "--json"));
      assertEquals(20_000, counted.path("answers").path(0).path("value").asLong(), count);
    }
  }

  @Test
  void eachStateAnswersForItself() throws Exception {
    BoundUdaf quantiles = function("QUANTILES", ValueKind.LONG);
    Path texts =
        textFile(
            "three.txt",
            state(quantiles, numbers(1, 2, 3)),
            state(quantiles, numbers()),
            state(quantiles, numbers(70)));
    JsonNode rows =
        json(CommandRun.of("sketch", "query", "MEDIAN", texts, "--each", "--json")).path("answers");
    assertEquals(3, rows.size());
    assertEquals(2, rows.get(0).path("value").asLong());
    assertTrue(rows.get(1).path("value").isNull(), rows::toString);
    assertEquals(70, rows.get(2).path("value").asLong());
    assertEquals(texts + ", line 5", rows.get(2).path("state").asText());
    CommandRun table = CommandRun.of("sketch", "query", "MEDIAN", texts);
    assertTrue(
        table.out().lines().anyMatch(line -> line.strip().matches("2 +2 +2 +0 +ranks +4 +1")),
        table.out());
  }

  @Test
  void mergedStatesAreTheStateOfAllRowsByteForByteWhereTheFunctionIsExact() throws Exception {
    BoundUdaf distinct = function("APPROX_COUNT_DISTINCT", ValueKind.LONG);
    Random random = new Random(SEED);
    long[] first = random.longs(3000, 0, 5000).toArray();
    long[] second = random.longs(3000, 0, 5000).toArray();
    long[] all = Arrays.copyOf(first, 6000);
    System.arraycopy(second, 0, all, 3000, 3000);
    Path a = file("a", state(distinct, numbers(first)));
    Path b = textFile("b", state(distinct, numbers(second)));
    byte[] expected = state(distinct, numbers(all));
    CommandRun said = CommandRun.of("sketch", "merge", a, b);
    assertEquals(0, said.code(), said.err());
    assertEquals(text(expected), said.out().strip());
    Path to = folder.resolve("merged");
    CommandRun.of("sketch", "merge", a, b, "--to", to);
    assertEquals(text(expected), text(Files.readAllBytes(to)));
    Path plain = Files.write(folder.resolve("plain"), expected);
    assertEquals(Files.getPosixFilePermissions(plain), Files.getPosixFilePermissions(to));
    assertFails(3, "; --force overwrites it", "sketch", "merge", a, b, "--to", to);
    assertEquals(0, CommandRun.of("sketch", "merge", to, a, "--to", to, "--force").code());
    assertEquals(text(expected), text(Files.readAllBytes(to)));
    assertEquals(
        text(expected),
        json(CommandRun.of("sketch", "merge", to, "--json")).path("state").asText());
    InputStream before = System.in;
    try {
      System.setIn(new ByteArrayInputStream(said.out().getBytes(StandardCharsets.US_ASCII)));
      assertEquals(text(expected), CommandRun.of("sketch", "merge", "-").out().strip());
    } finally {
      System.setIn(before);
    }
  }

  @Test
  void changedItemsAreThoseOfTheRows() throws Exception {
    BoundUdaf hitters = function("HEAVY_HITTERS", ValueKind.ADDRESS, ValueKind.LONG);
    long[][] before = {{0x0A000001, 1000}, {0x0A000002, 500}, {0x0A000003, 5}};
    long[][] after = {{0x0A000001, 1000}, {0x0A000002, 100}, {0x0A000004, 700}};
    Path a = textFile("before", state(hitters, before));
    Path b = file("after", state(hitters, after));
    JsonNode rows = json(CommandRun.of("sketch", "diff", a, b, "--json")).path("answers");
    assertEquals(2, rows.size(), rows::toString);
    assertEquals("10.0.0.4", rows.get(0).path("item").asText());
    assertEquals(700, rows.get(0).path("value").asLong());
    assertEquals("10.0.0.2", rows.get(1).path("item").asText());
    assertEquals(-400, rows.get(1).path("value").asLong());
    assertEquals(0, rows.get(1).path("bound").asDouble());
    assertEquals(
        3,
        json(CommandRun.of("sketch", "diff", a, b, "--share", "0.001", "--json"))
            .path("answers")
            .size());
    assertEquals(
        1,
        json(CommandRun.of("sketch", "diff", a, b, "--limit", "1", "--json"))
            .path("answers")
            .size());
    JsonNode estimate =
        json(CommandRun.of("sketch", "query", "ESTIMATE(10.0.0.2)", a, b, "--json"))
            .path("answers");
    assertEquals(600, estimate.path(0).path("value").asLong());
  }

  @Test
  void topOfManyItemsKeepsToItsBounds() throws Exception {
    BoundUdaf hitters = function("HEAVY_HITTERS", ValueKind.ADDRESS, ValueKind.LONG);
    Random random = new Random(SEED);
    Map<Integer, Long> exact = new TreeMap<>();
    long[][][] parts = new long[3][4000][];
    byte[][] states = new byte[3][];
    for (int p = 0; p < parts.length; p++) {
      for (int r = 0; r < parts[p].length; r++) {
        int item = ((int) Math.pow(5000, random.nextDouble())) * 0x01000193;
        long weight = 1L + random.nextInt(1500);
        parts[p][r] = new long[] {item, weight};
        exact.merge(item, weight, Long::sum);
      }
      states[p] = state(hitters, parts[p]);
    }
    Path texts = textFile("parts.txt", states);
    JsonNode rows =
        json(CommandRun.of("sketch", "query", "TOP(5)", texts, "--json")).path("answers");
    assertEquals(5, rows.size());
    int largest =
        exact.entrySet().stream()
            .max(Comparator.comparingLong(Map.Entry::getValue))
            .orElseThrow()
            .getKey();
    assertEquals(
        IpAddress.format(0, IpAddress.ipv4Low(largest)), rows.get(0).path("item").asText());
    long total =
        json(CommandRun.of("sketch", "query", "TOTAL", texts, "--json"))
            .path("answers")
            .path(0)
            .path("value")
            .asLong();
    assertEquals(exact.values().stream().mapToLong(Long::longValue).sum(), total);
    for (JsonNode row : rows) {
      IpAddress item = IpAddress.parse(row.path("item").asText());
      long weight = exact.getOrDefault((int) item.lo(), 0L);
      assertTrue(row.path("upper").asLong() >= weight, "seed " + SEED + ": " + row);
      assertTrue(row.path("lower").asLong() <= weight, "seed " + SEED + ": " + row);
      assertTrue(row.path("lower").asLong() > 0, row::toString);
      assertTrue(row.path("bound").asDouble() > 0, row::toString);
    }
  }

  @Test
  void itemsThatNoRowMayHaveHadAreMarkedForPeople() throws Exception {
    BoundUdaf narrow =
        FUNCTIONS.bind(
            "HEAVY_HITTERS",
            List.of(
                Argument.ofRows(ValueKind.ADDRESS),
                Argument.ofRows(ValueKind.LONG),
                Argument.of(Value.ofLong(16)),
                Argument.of(Value.ofLong(1))));
    Random random = new Random(SEED);
    Set<String> items = new HashSet<>();
    long[][] rows = new long[2000][];
    for (int r = 0; r < rows.length; r++) {
      int item = random.nextInt();
      rows[r] = new long[] {item, 1};
      items.add(IpAddress.format(0, IpAddress.ipv4Low(item)));
    }
    long[][] heavy = new long[2000][];
    Arrays.fill(heavy, new long[] {0x0A000001, 100});
    Path even = file("even", state(narrow, rows));
    JsonNode found =
        json(CommandRun.of("sketch", "query", "TOP(5)", even, "--json")).path("answers");
    assertEquals(5, found.size());
    int accidents = 0;
    for (JsonNode row : found) {
      assertEquals(0, row.path("lower").asLong(), row::toString);
      assertFalse(row.has("note"), row::toString);
      accidents += items.contains(row.path("item").asText()) ? 0 : 1;
    }
    assertTrue(accidents > 0, "seed " + SEED + ": every item is one of the rows': " + found);
    CommandRun table = CommandRun.of("sketch", "query", "TOP(5)", even);
    assertEquals(5, table.out().lines().filter(line -> line.endsWith(" may be none")).count());
    CommandRun changes = CommandRun.of("sketch", "diff", even, even, "--share", "1e-6");
    assertTrue(
        changes.out().lines().anyMatch(line -> line.endsWith(" may not have changed")),
        changes.out());
    assertFalse(changes.out().contains("may be none"), changes.out());
    Path exact = file("exact", state(narrow, heavy));
    assertFalse(CommandRun.of("sketch", "query", "TOP(5)", exact).out().contains("may be none"));
  }

  @Test
  void setsOfDistinctValuesAreThoseOfTheRows() throws Exception {
    BoundUdaf sample = function("DISTINCT_SAMPLE", ValueKind.LONG);
    Path a = textFile("a", state(sample, numbers(1, 2, 3, 3)), state(sample, numbers(4)));
    Path b = file("b", state(sample, numbers(3, 4, 5, 6, 7, 7)));
    JsonNode answer = json(CommandRun.of("sketch", "diff", a, b, "--json"));
    Map<String, Integer> counts = new TreeMap<>();
    answer
        .path("answers")
        .forEach(row -> counts.put(row.path("values").asText(), row.path("value").asInt()));
    assertEquals(
        Map.of(
            "before",
            4,
            "after",
            5,
            "in both",
            2,
            "in either",
            7,
            "only before",
            2,
            "only after",
            3),
        counts);
    assertEquals(2, answer.path("states_before").asInt());
    assertFails(
        2,
        "--share and --limit are for states of HEAVY_HITTERS",
        "sketch",
        "diff",
        a,
        b,
        "--limit",
        3);
  }

  @Test
  void durationsAreSecondsForPeopleAndMicrosecondsInJson() throws Exception {
    Path one = file("one", state(function("QUANTILES", ValueKind.DURATION), numbers(1_500_000)));
    assertTrue(CommandRun.of("sketch", "query", "MEDIAN", one).out().contains("1.5 s"));
    assertEquals(
        1_500_000,
        json(CommandRun.of("sketch", "query", "MEDIAN", one, "--json"))
            .path("answers")
            .path(0)
            .path("value")
            .asLong());
    assertEquals(
        1,
        json(CommandRun.of("sketch", "query", "RANK(2 seconds)", one, "--json"))
            .path("answers")
            .size());
  }

  @Test
  void aColumnOfStatesOfAQueryIsTakenAsItIs() throws Exception {
    StringBuilder flows = new StringBuilder("end_time,dst_port,bytes\n");
    for (int i = 0; i < 300; i++) {
      flows.append(i).append(',').append(i % 3).append(',').append(i).append('\n');
    }
    Path input = Files.writeString(folder.resolve("in.csv"), flows);
    Path archive = folder.resolve("archive");
    assertEquals(0, CommandRun.of("import", input, "--archive", archive).code());
    String sql = "SELECT QUANTILES(bytes) AS q FROM flows GROUP BY dst_port";
    CommandRun query = CommandRun.of("query", sql, "--archive", archive, "--format", "csv");
    assertEquals(0, query.code(), query.err());
    Path states = Files.writeString(folder.resolve("q.csv"), query.out());
    JsonNode median = json(CommandRun.of("sketch", "query", "MEDIAN", states, "--json"));
    assertEquals(3, median.path("states").asInt());
    assertEquals(149, median.path("answers").path(0).path("value").asLong());
    assertFails(
        3,
        "header, line 1: expected exported states, found 'q' and no more",
        "sketch",
        "merge",
        Files.writeString(folder.resolve("header"), "q\r\n"));
    Path marked = Files.writeString(folder.resolve("marked.csv"), "\uFEFF" + query.out());
    assertEquals(
        3, json(CommandRun.of("sketch", "merge", marked, "--json")).path("states").asInt());
  }

  @Test
  void quotesHoldCommasAndQuotes() {
    assertEquals(
        Value.ofText("a,b"), ExtractorCall.parse("X('a,b', 3)").parameters().get(0).constant());
    assertEquals(
        Value.ofLong(3), ExtractorCall.parse("X('a,b', 3)").parameters().get(1).constant());
    assertEquals(
        Value.ofText("it's"), ExtractorCall.parse("X('it''s')").parameters().get(0).constant());
  }
}
