package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.window.WindowPart;
import org.junit.jupiter.api.Test;

/** States of results, merged, differenced and read by extractors, against the flows themselves. */
class StateColumnsTest {
  private static final long MINUTE = 60_000_000L;
  private static final Pattern ITEM =
      Pattern.compile(
          "\\{\"item\":\"?([^\",]+)\"?,\"value\":(-?\\d+),\"lower\":(-?\\d+),\"upper\":(-?\\d+)\\}");

  private record Flow(long end, int source, int port, long bytes) {
    String address() {
      return IpAddress.format(0, IpAddress.ipv4Low(source));
    }
  }

  /** Sources with many flows and sources with few; some sources occur only in some minutes. */
  private static List<Flow> flows(long seed, int count, int minutes, boolean isZipf) {
    Random random = new Random(seed);
    List<Flow> flows = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      long time = random.nextLong(minutes * MINUTE);
      int rank = (int) (isZipf ? Math.pow(6000, random.nextDouble()) : random.nextInt(6000));
      int shift = (int) (time / MINUTE) * 300; // large sources change
      int source = 0x0A000000 + (rank + shift) * 31;
      flows.add(
          new Flow(
              RandomFlows.START + time, source, 50 + random.nextInt(4), 1L + random.nextInt(1500)));
    }
    return flows;
  }

  private static List<FlowBatch> batches(List<Flow> flows) {
    List<FlowBatch> all = new ArrayList<>();
    for (int from = 0; from < flows.size(); from += 700) {
      List<Flow> some = flows.subList(from, Math.min(flows.size(), from + 700));
      FlowBatchBuilder builder = new FlowBatchBuilder(some.size());
      for (Flow flow : some) {
        builder.beginRow();
        builder.set(FlowColumn.END_TIME, flow.end);
        builder.set(FlowColumn.ARRIVAL, flow.end);
        builder.setAddress(FlowColumn.SRC_ADDR, 0, IpAddress.ipv4Low(flow.source));
        builder.set(FlowColumn.DST_PORT, flow.port);
        builder.set(FlowColumn.BYTES, flow.bytes);
        builder.endRow();
      }
      all.add(FlowBatch.open(builder.build(1, 0, some.size(), 0)));
    }
    return all;
  }

  private static Map<String, Long> bytes(List<Flow> flows, Predicate<Flow> of) {
    return flows.stream()
        .filter(of)
        .collect(Collectors.groupingBy(Flow::address, Collectors.summingLong(Flow::bytes)));
  }

  private static Set<String> sources(List<Flow> flows, Predicate<Flow> of) {
    return flows.stream().filter(of).map(Flow::address).collect(Collectors.toSet());
  }

  private record Change(long lower, long value, long upper) {}

  private static Map<String, Change> items(String json) {
    Map<String, Change> items = new LinkedHashMap<>();
    Matcher matcher = ITEM.matcher(json);
    while (matcher.find()) {
      items.put(
          matcher.group(1),
          new Change(
              Long.parseLong(matcher.group(3)),
              Long.parseLong(matcher.group(2)),
              Long.parseLong(matcher.group(4))));
    }
    assertEquals(json.split("\"item\"", -1).length - 1, items.size(), json);
    return items;
  }

  /**
   * Checks that bounds hold, that values keep to their error, and that no large enough change is
   * left out.
   */
  private static void checkChanges(
      String json, Map<String, Long> before, Map<String, Long> after, double share, String at) {
    long total =
        Math.max(
            before.values().stream().mapToLong(b -> b).sum(),
            after.values().stream().mapToLong(b -> b).sum());
    Map<String, Change> found = items(json);
    found.forEach(
        (item, change) -> {
          long truth = after.getOrDefault(item, 0L) - before.getOrDefault(item, 0L);
          assertTrue(change.lower <= truth && truth <= change.upper, at + ": " + item + change);
          assertTrue(change.lower <= change.value && change.value <= change.upper, at);
        });
    Set<String> all = new TreeSet<>(before.keySet());
    all.addAll(after.keySet());
    double error = 4 * 3.5 * total / 1024; // two states of 'frequent' with a width of 1024
    for (String item : all) {
      long truth = after.getOrDefault(item, 0L) - before.getOrDefault(item, 0L);
      if (Math.abs(truth) >= share * total + error) {
        assertTrue(found.containsKey(item), at + ": " + item + " changed by " + truth);
      }
    }
    long last = Long.MAX_VALUE;
    for (Change change : found.values()) {
      assertTrue(Math.abs(change.value) <= last, at + ": the largest come first");
      last = Math.abs(change.value);
    }
  }

  private static final String HITTERS = "HEAVY_HITTERS(src_addr, bytes, 1024, 2, 'hash/frequent')";

  @Test
  void changesSinceTheMinuteBeforeAreWithinTheirBoundsLiveAndFromHistory() {
    String changed =
        "SELECT CHANGES(MERGE(h) FILTER (WHERE minute < :now - INTERVAL '1' MINUTE), MERGE(h)"
            + " FILTER (WHERE minute >= :now - INTERVAL '1' MINUTE), 0.01, 1000) AS changes,"
            + " CARDINALITY(DIFFERENCE(MERGE(CASE WHEN minute >= :now - INTERVAL '1' MINUTE THEN d"
            + " END), MERGE(CASE WHEN minute < :now - INTERVAL '1' MINUTE THEN d END))) AS new"
            + " FROM (SELECT TIME_BUCKET(end_time, INTERVAL '1' MINUTE) AS minute, "
            + HITTERS
            + " AS h, DISTINCT_SAMPLE(src_addr, 8192) AS d FROM flows WHERE end_time >= :from AND"
            + " end_time < :to GROUP BY minute)";
    WindowSpec window =
        new WindowSpec(2 * MINUTE, MINUTE, FlowColumn.END_TIME, 0, WindowSpec.DEFAULT_AHEAD_MICROS);
    int changes = 0;
    for (long seed = 1; seed <= 6; seed++) {
      List<Flow> flows = flows(seed, 30_000, 4, seed % 3 != 0);
      List<FlowBatch> batches = batches(flows);
      Query all =
          QueryParser.parseQuery(changed)
              .bind(
                  Parameters.NONE
                      .with("from", Value.ofTimestamp(0))
                      .with("to", Value.ofTimestamp(1L << 60))
                      .with("now", Value.ofTimestamp(0)));
      FlowQuery leaf = all.leaves().get(0);
      Map<Long, WindowPart> windows = FlowWindows.run(batches, leaf, window, 4, 5).windows();
      assertEquals(5, windows.size());
      for (Map.Entry<Long, WindowPart> part : windows.entrySet()) {
        long end = part.getKey();
        Parameters values =
            Parameters.NONE
                .with("now", Value.ofTimestamp(end))
                .with("from", Value.ofTimestamp(end - 2 * MINUTE))
                .with("to", Value.ofTimestamp(end));
        Query query = QueryParser.parseQuery(changed).bind(values);
        ResultTable live = NestedQueries.answer(query, of -> part.getValue().result(), () -> {});
        ResultTable history = FlowQueries.run(batches, query);
        Predicate<Flow> was = flow -> flow.end >= end - 2 * MINUTE && flow.end < end - MINUTE;
        Predicate<Flow> is = flow -> flow.end >= end - MINUTE && flow.end < end;
        for (boolean isLive : new boolean[] {true, false}) {
          ResultTable answer = isLive ? live : history;
          String at = "seed " + seed + ", window " + end + (isLive ? " live" : " history");
          assertEquals(1, answer.rowCount());
          checkChanges(answer.text(0, 0), bytes(flows, was), bytes(flows, is), 0.01, at);
          changes += items(answer.text(0, 0)).size();
          Set<String> fresh = sources(flows, is);
          fresh.removeAll(sources(flows, was));
          assertEquals(fresh.size(), answer.longValue(0, 1), at); // fewer than 8192: exact
        }
        assertEquals(live.value(0, 1), history.value(0, 1));
      }
    }
    assertTrue(changes > 200, "many sources should change, " + changes + " did");
  }

  @Test
  void setsOfTwoSidesAreWithinTheirBounds() {
    String sql =
        "SELECT a.k, CARDINALITY(DIFFERENCE(a.d, b.d)) AS gone, LOWER(gone) AS gone_low,"
            + " UPPER(gone) AS gone_high, CARDINALITY(INTERSECTION(a.d, b.d)) AS both, LOWER(both)"
            + " AS both_low, UPPER(both) AS both_high, CARDINALITY(UNION(a.d, b.d)) AS any,"
            + " LOWER(any) AS any_low, UPPER(any) AS any_high, RARE(UNION(a.d, b.d), 1) AS once"
            + " FROM (SELECT dst_port AS k, DISTINCT_SAMPLE(src_addr, 256) AS d FROM flows WHERE"
            + " bytes < 700 GROUP BY k) AS a JOIN (SELECT dst_port AS k, DISTINCT_SAMPLE(src_addr,"
            + " 256) AS d FROM flows WHERE bytes >= 700 GROUP BY k) AS b ON a.k = b.k";
    Query query = QueryParser.parseQuery(sql);
    int within = 0;
    int asked = 0;
    for (long seed = 1; seed <= 25; seed++) {
      List<Flow> flows = flows(seed, 8000, 1, seed % 2 == 0);
      ResultTable answer = FlowQueries.run(batches(flows), query);
      assertEquals(4, answer.rowCount());
      for (int row = 0; row < 4; row++) {
        long port = answer.longValue(row, 0);
        Set<String> a = sources(flows, flow -> flow.port == port && flow.bytes < 700);
        Set<String> b = sources(flows, flow -> flow.port == port && flow.bytes >= 700);
        Set<String> gone = new HashSet<>(a);
        gone.removeAll(b);
        Set<String> any = new HashSet<>(a);
        any.addAll(b);
        long[] truths = {gone.size(), a.size() - gone.size(), any.size()};
        for (int t = 0; t < truths.length; t++) {
          asked++;
          within +=
              answer.longValue(row, 2 + 3 * t) <= truths[t]
                      && truths[t] <= answer.longValue(row, 3 + 3 * t)
                  ? 1
                  : 0;
        }
        assertTrue(answer.longValue(row, 10) <= answer.longValue(row, 9), "seed " + seed);
      }
    }
    assertTrue(within >= 0.93 * asked, within + " of " + asked + " within bounds of 95%");
    assertTrue(asked == 300, "each seed is asked");
  }

  @Test
  void mergedStatesOfGroupsAreThoseOfAllTheirFlows() {
    String inner =
        "SELECT dst_port, src_addr, QUANTILES(bytes, 0.05) AS q, APPROX_COUNT_DISTINCT(src_addr) AS"
            + " c, TOTAL(HEAVY_HITTERS(src_addr, bytes)) AS t FROM flows GROUP BY dst_port,"
            + " src_addr";
    Query merged =
        QueryParser.parseQuery(
            "SELECT dst_port, MERGE(c) AS c, MEDIAN(MERGE(q)) AS m, LOWER(m) AS low, UPPER(m) AS"
                + " high, COUNT(MERGE(q)) AS n, SUM(t) AS bytes, MEDIAN(MERGE(q) FILTER (WHERE"
                + " src_addr IN '10.0.0.0/17')) AS some FROM ("
                + inner
                + ") GROUP BY dst_port HAVING n > 0 ORDER BY m DESC, dst_port");
    Query direct =
        QueryParser.parseQuery(
            "SELECT dst_port, APPROX_COUNT_DISTINCT(src_addr) AS c, COUNT(*) AS n, SUM(bytes) AS"
                + " bytes FROM flows GROUP BY dst_port");
    for (long seed = 1; seed <= 4; seed++) {
      List<Flow> flows = flows(seed, 20_000, 1, seed % 2 == 0);
      ResultTable answer = FlowQueries.run(batches(flows), merged);
      ResultTable exact = FlowQueries.run(batches(flows), direct);
      assertEquals(4, answer.rowCount());
      Map<Long, Integer> places = new HashMap<>();
      for (int row = 0; row < 4; row++) {
        places.put(exact.longValue(row, 0), row);
      }
      for (int row = 0; row < 4; row++) {
        String at = "seed " + seed + ", row " + row;
        int of = places.get(answer.longValue(row, 0));
        assertEquals(exact.value(of, 1), answer.value(row, 1), at); // byte for byte
        assertEquals(exact.value(of, 2), answer.value(row, 5), at);
        assertEquals(exact.value(of, 3), answer.value(row, 6), at);
        long port = answer.longValue(row, 0);
        long[] sorted =
            flows.stream().filter(f -> f.port == port).mapToLong(Flow::bytes).sorted().toArray();
        long median = sorted[(sorted.length + 1) / 2 - 1];
        assertTrue(answer.longValue(row, 3) <= median && median <= answer.longValue(row, 4), at);
        long value = answer.longValue(row, 2);
        long below = java.util.Arrays.stream(sorted).filter(b -> b < value).count();
        assertTrue(Math.abs(below - sorted.length / 2.0) <= 0.06 * sorted.length, at);
        long[] some =
            flows.stream()
                .filter(f -> f.port == port && (f.source & 0xFF8000) == 0)
                .mapToLong(Flow::bytes)
                .sorted()
                .toArray();
        long other = answer.longValue(row, 7);
        long fewer = java.util.Arrays.stream(some).filter(b -> b < other).count();
        assertTrue(Math.abs(fewer - some.length / 2.0) <= 0.06 * some.length + 1, at);
        assertTrue(row == 0 || answer.longValue(row - 1, 2) >= answer.longValue(row, 2), "ordered");
      }
    }
  }

  @Test
  void nullIsAStateWithoutRows() {
    List<FlowBatch> flows = batches(flows(3, 2000, 1, true));
    Query query =
        QueryParser.parseQuery(
            "SELECT a.k, CARDINALITY(DIFFERENCE(a.d, b.d)) AS all, CARDINALITY(a.d) AS own,"
                + " CARDINALITY(b.d) AS none, MEDIAN(b.q) AS m, COUNT(UNION(b.q, b.q)) AS n, b.d AS"
                + " d FROM (SELECT dst_port AS k, DISTINCT_SAMPLE(src_addr) AS d FROM flows GROUP"
                + " BY k) AS a LEFT JOIN (SELECT dst_port AS k, DISTINCT_SAMPLE(src_addr) AS d,"
                + " QUANTILES(bytes) AS q FROM flows WHERE bytes < 0 GROUP BY k) AS b ON a.k ="
                + " b.k");
    ResultTable answer = FlowQueries.run(flows, query);
    assertEquals(4, answer.rowCount());
    for (int row = 0; row < 4; row++) {
      assertEquals(answer.value(row, 2), answer.value(row, 1));
      assertTrue(answer.longValue(row, 1) > 10);
      assertEquals(0, answer.longValue(row, 3));
      assertTrue(answer.isNull(row, 4));
      assertEquals(0, answer.longValue(row, 5));
      assertTrue(answer.isNull(row, 6));
    }
    ResultTable none =
        FlowQueries.run(
            List.of(),
            QueryParser.parseQuery(
                "SELECT COUNT(MERGE(q)) AS n, MERGE(q) AS q FROM (SELECT src_addr, QUANTILES(bytes)"
                    + " AS q FROM flows GROUP BY src_addr)"));
    assertEquals(0, none.longValue(0, 0));
    assertTrue(!none.text(0, 1).isEmpty());
  }

  @Test
  void statesWithinOneGroupAreDifferencedWithoutAJoin() {
    List<Flow> flows = flows(5, 6000, 1, true);
    ResultTable answer =
        FlowQueries.run(
            batches(flows),
            QueryParser.parse(
                "SELECT dst_port, CARDINALITY(DIFFERENCE(DISTINCT_SAMPLE(src_addr) FILTER (WHERE"
                    + " bytes < 700), DISTINCT_SAMPLE(src_addr) FILTER (WHERE bytes >= 700))) AS n,"
                    + " COUNT(*) FILTER (WHERE bytes < 700) AS small FROM flows GROUP BY dst_port"
                    + " HAVING n > 0 ORDER BY n DESC"));
    assertEquals(4, answer.rowCount());
    for (int row = 0; row < 4; row++) {
      long port = answer.longValue(row, 0);
      Set<String> small = sources(flows, f -> f.port == port && f.bytes < 700);
      small.removeAll(sources(flows, f -> f.port == port && f.bytes >= 700));
      assertEquals(small.size(), answer.longValue(row, 1));
      assertEquals(
          flows.stream().filter(f -> f.port == port && f.bytes < 700).count(),
          answer.longValue(row, 2));
    }
  }

  @Test
  void aTextThatIsNoStateIsAnErrorOfTheQuery() {
    Query query =
        QueryParser.parseQuery(
            "SELECT MEDIAN(q) AS m FROM (SELECT src_addr, QUANTILES(bytes) AS q FROM flows GROUP BY"
                + " src_addr)");
    for (String text : List.of("no base64!", Base64.getEncoder().encodeToString(new byte[20]))) {
      ResultTable.Builder table =
          new ResultTable.Builder()
              .column("src_addr", ValueKind.ADDRESS)
              .column("q", ValueKind.TEXT);
      table.row().set(1, text);
      ResultTable wrong = table.build();
      QueryException e =
          assertThrows(
              QueryException.class, () -> NestedQueries.answer(query, of -> wrong, () -> {}));
      assertTrue(e.getMessage().contains("expected a state of QUANTILES(LONG"), e.getMessage());
    }
  }
}
