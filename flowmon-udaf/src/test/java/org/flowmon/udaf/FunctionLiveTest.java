package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** Function results of live windows lie within their bounds of the values of the windows' flows. */
class FunctionLiveTest {
  private static final long MINUTE = 60_000_000L;
  private static final double[] SHARES = {0.5, 0.95, 0.99};
  private static final List<String> CALLS =
      List.of(
          "bytes",
          "bytes, 0.05",
          "bytes, 0.05, 'medium'",
          "bytes, 0.05, 'heavy'",
          "bytes, 0.05, 'lite', 16");
  private static final List<String> KEYS =
      List.of("", "src_addr", "service", "dst_port, outgoing", "protocol");

  private final Random random = new Random();
  private long partials;
  private long evictions;

  private record Case(String at, FlowQuery query, WindowSpec window, List<FlowBatch> flows) {}

  /** The values of the flows of a group in a window. */
  private static final class Group {
    private final List<Long> bytes = new ArrayList<>();
    private long flows;
  }

  @Test
  void quantilesOfWindowsAreWithinTheirBoundsHoweverManyTasksThereAre() {
    for (long seed = 1; seed <= 40; seed++) {
      random.setSeed(seed);
      String call = CALLS.get((int) (seed % CALLS.size()));
      String keys = KEYS.get(random.nextInt(KEYS.size()));
      StringBuilder sql = new StringBuilder("SELECT COUNT(*) AS n, COUNT(QUANTILES(" + call + "))");
      for (double share : SHARES) {
        String value = "QUANTILE(QUANTILES(" + call + "), " + share + ")";
        sql.append(", " + value + ", LOWER(" + value + "), UPPER(" + value + ")");
      }
      if (seed % 3 == 0) {
        sql.append(", COUNT(DISTINCT dst_addr) AS d");
        sql.append(", CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS approx");
      }
      sql.append(keys.isEmpty() ? "" : ", " + keys).append(" FROM flows");
      sql.append(keys.isEmpty() ? "" : " GROUP BY " + keys);
      long slide = (1 + random.nextInt(10)) * MINUTE;
      WindowSpec window =
          new WindowSpec(
              seed % 2 == 0 ? slide : slide * (2 + random.nextInt(4)),
              slide,
              FlowColumn.END_TIME,
              random.nextInt(30) * MINUTE / 20,
              WindowSpec.DEFAULT_AHEAD_MICROS);
      List<FlowBatch> flows = new RandomFlows(seed).within(40 * MINUTE).batches(8, 600);
      String at = "seed " + seed + ": " + sql + " " + window;
      check(new Case(at, QueryParser.parse(sql.toString()), window, flows), call, seed);
    }
    assertTrue(evictions > 1000 && partials > evictions, evictions + " of " + partials);
  }

  private void check(Case test, String call, long seed) {
    Map<Long, Map<List<Object>, Group>> expected = model(test);
    Map<Long, WindowPart> windows = live(test);
    assertEquals(expected.keySet(), windows.keySet(), test.at);
    double epsilon = call.contains("0.05") ? 0.05 : 0.01;
    int firstKey = 2 + 3 * SHARES.length + (seed % 3 == 0 ? 2 : 0);
    windows.forEach(
        (end, part) -> {
          ResultTable rows = part.result();
          Map<List<Object>, Group> groups = expected.get(end);
          assertEquals(groups.size(), rows.rowCount(), test.at);
          for (int row = 0; row < rows.rowCount(); row++) {
            List<Object> key = new ArrayList<>();
            for (int c = firstKey; c < rows.columnCount(); c++) {
              Expression column = new Expression.Named(rows.name(c), rows.kind(c));
              key.add(new NaiveRow(rows, row).value(column));
            }
            String at = test.at + " window " + end + " " + key;
            checkRow(groups.get(key), rows, row, epsilon, at);
            if (seed % 3 == 0) { // few: exact
              assertEquals(rows.value(row, firstKey - 2), rows.value(row, firstKey - 1), at);
            }
          }
          assertTrue(part.totals().isNull(0, 1), "of states there are no totals");
          assertEquals(
              groups.values().stream().mapToLong(g -> g.flows).sum(),
              part.totals().longValue(0, 0),
              test.at);
        });
  }

  private static void checkRow(Group group, ResultTable rows, int row, double epsilon, String at) {
    List<Long> sorted = group.bytes;
    Collections.sort(sorted);
    int n = sorted.size();
    assertEquals(group.flows, rows.longValue(row, 0), at);
    assertEquals(n, rows.longValue(row, 1), at);
    for (int s = 0; s < SHARES.length && n > 0; s++) {
      int rank = (int) Math.max(1, Math.ceil(SHARES[s] * n));
      long truth = sorted.get(rank - 1);
      long value = rows.longValue(row, 2 + 3 * s);
      assertTrue(rows.longValue(row, 3 + 3 * s) <= truth, at);
      assertTrue(rows.longValue(row, 4 + 3 * s) >= truth, at);
      long below = sorted.stream().filter(b -> b < value).count();
      long upTo = sorted.stream().filter(b -> b <= value).count();
      assertTrue(upTo > below, at + ": " + value + " is none of the values");
      assertTrue(below - epsilon * n < rank && rank <= upTo + epsilon * n, at);
    }
  }

  /** Assigns each flow to its windows by the specification, one flow at a time. */
  private static Map<Long, Map<List<Object>, Group>> model(Case test) {
    Map<Long, Map<List<Object>, Group>> windows = new TreeMap<>();
    WindowSpec window = test.window;
    for (FlowBatch batch : test.flows) {
      for (int r = 0; r < batch.rows(); r++) {
        NaiveRow row = new NaiveRow(batch, r);
        long arrival = batch.getLong(FlowColumn.ARRIVAL, r);
        long time =
            batch.isNull(FlowColumn.END_TIME, r) ? arrival : batch.getLong(FlowColumn.END_TIME, r);
        List<Object> key = new ArrayList<>();
        test.query.groupBy().forEach(expression -> key.add(row.value(expression)));
        long end = Math.floorDiv(time, window.slideMicros()) * window.slideMicros();
        for (end += window.slideMicros(); end - window.widthMicros() <= time; ) {
          if (arrival <= end + window.latenessMicros()) {
            Group group =
                windows
                    .computeIfAbsent(end, e -> new HashMap<>())
                    .computeIfAbsent(key, k -> new Group());
            group.flows++;
            if (!batch.isNull(FlowColumn.BYTES, r)) {
              group.bytes.add(batch.getLong(FlowColumn.BYTES, r));
            }
          }
          end += window.slideMicros();
        }
      }
    }
    return windows;
  }

  /** Low levels of a few slots, a table for each key group, restored now and then. */
  private Map<Long, WindowPart> live(Case test) {
    int keyGroups = 1 + random.nextInt(20);
    List<byte[]> sent = new ArrayList<>();
    List<LowLevelQuery> lows = new ArrayList<>();
    int slots = 1 << random.nextInt(6);
    for (int low = 1 << random.nextInt(3); low > 0; low--) {
      lows.add(
          new LowLevelQuery(
              7, test.query, test.window, slots, keyGroups, (group, bytes) -> sent.add(bytes)));
    }
    Map<Integer, WindowTables> tables = new HashMap<>();
    for (FlowBatch batch : test.flows) {
      LowLevelQuery low = lows.get(random.nextInt(lows.size()));
      low.process(batch);
      if (random.nextInt(4) == 0) {
        low.drainAll();
        deliver(test, sent, tables);
        tables.replaceAll(
            (group, table) -> WindowTables.fromBytes(table.toBytes(), 7, test.query, test.window));
      }
    }
    lows.forEach(LowLevelQuery::drainAll);
    for (LowLevelQuery low : lows) {
      partials += low.counts().partials();
      evictions += low.counts().evictions();
    }
    deliver(test, sent, tables);
    List<WindowPart> parts = new ArrayList<>();
    tables.values().forEach(table -> table.closeUpTo(Long.MAX_VALUE / 4, parts::add));
    Collections.shuffle(parts, random);
    Map<Long, WindowPart> windows = new TreeMap<>();
    for (WindowPart part : parts) {
      WindowPart restored = WindowPart.open(part.toBytes(), test.query);
      WindowPart known = windows.putIfAbsent(part.windowEnd(), restored);
      if (known != null) {
        known.merge(restored);
      }
    }
    return windows;
  }

  private void deliver(Case test, List<byte[]> sent, Map<Integer, WindowTables> tables) {
    Collections.shuffle(sent, random);
    for (byte[] bytes : sent) {
      PartialGroups groups = PartialGroups.open(bytes);
      tables
          .computeIfAbsent(groups.keyGroup(), k -> new WindowTables(7, test.query, test.window))
          .merge(groups);
    }
    sent.clear();
  }

  @Test
  void queriesThatShareATableHaveTheirOwnStates() {
    String[] functions = {
      "COUNT(QUANTILES(bytes)) AS n, QUANTILE(QUANTILES(bytes), 0) AS least,"
          + " QUANTILE(QUANTILES(bytes), 1) AS most",
      "SUM(packets) AS p, QUANTILE(QUANTILES(packets), 1) AS m, COUNT(QUANTILES(bytes)) AS b",
      "TOTAL(HEAVY_HITTERS(dst_addr, packets)) AS t, QUANTILE(QUANTILES(packets), 0) AS least",
    };
    String[] exact = {
      "COUNT(bytes) AS n, MIN(bytes) AS least, MAX(bytes) AS most",
      "SUM(packets) AS p, MAX(packets) AS m, COUNT(bytes) AS b",
      "COALESCE(SUM(CASE WHEN dst_addr IS NULL THEN 0 ELSE packets END), 0) AS t,"
          + " MIN(packets) AS least",
    };
    WindowSpec window = WindowSpec.tumbling(24 * 60 * MINUTE, 3 * 24 * 60 * MINUTE);
    List<FlowBatch> flows = new RandomFlows(9).modest().within(MINUTE).batches(10, 1000);
    LowLevel low = new LowLevel();
    List<FlowQuery> queries = new ArrayList<>();
    Map<Long, List<byte[]>> sent = new HashMap<>();
    for (String of : functions) {
      long id = queries.size();
      queries.add(QueryParser.parse("SELECT service, " + of + " FROM flows GROUP BY service"));
      sent.put(id, new ArrayList<>());
      var unused =
          low.add(id, queries.get((int) id), window, 4, 8, (group, b) -> sent.get(id).add(b));
    }
    assertEquals(1, low.tables());
    flows.forEach(low::process);
    low.drainAll();
    for (int q = 0; q < queries.size(); q++) {
      WindowTables tables = new WindowTables(q, queries.get(q), window);
      sent.get((long) q).forEach(bytes -> tables.merge(PartialGroups.open(bytes)));
      Map<Long, WindowPart> parts = new TreeMap<>();
      tables.closeUpTo(Long.MAX_VALUE / 4, part -> parts.put(part.windowEnd(), part));
      parts.forEach((end, part) -> assertTrue(part.groups() > 1, "a window has several groups"));
      for (Map.Entry<Long, WindowPart> part : parts.entrySet()) {
        long start = part.getKey() - window.widthMicros();
        String sql =
            "SELECT service, %s FROM flows WHERE COALESCE(end_time, arrival) >= :start AND"
                + " COALESCE(end_time, arrival) < :end GROUP BY service";
        FlowQuery query =
            QueryParser.parse(sql.formatted(exact[q]))
                .bind(
                    Parameters.NONE
                        .with("start", Value.ofTimestamp(start))
                        .with("end", Value.ofTimestamp(part.getKey())));
        assertEquals(FlowQueries.run(flows, query), part.getValue().result(), "query " + q);
      }
    }
  }

  @Test
  void fewPartialStatesCrossToTheMergeAndNotFlows() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT dst_port, MEDIAN(QUANTILES(bytes, 0.01, 'medium')) AS m FROM flows GROUP BY"
                + " dst_port");
    WindowSpec window = WindowSpec.tumbling(24 * 60 * MINUTE, 3 * 24 * 60 * MINUTE);
    List<FlowBatch> flows = new RandomFlows(3).within(MINUTE).batches(20, 2000);
    LowLevelQuery low = new LowLevelQuery(1, query, window, 64, 16, (group, bytes) -> {});
    flows.forEach(low::process);
    low.drainAll();
    long rows = flows.stream().mapToLong(FlowBatch::rows).sum();
    assertTrue(rows > 10_000);
    assertEquals(rows, low.counts().counted(), low.counts().toString());
    assertTrue(low.counts().partials() < 100, low.counts().toString());
  }
}
