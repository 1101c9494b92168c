package org.flowmon.udaf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialFormatException;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** COUNT(DISTINCT …) of a live window equals the size of the set of its flows' values. */
class LiveDistinctTest {
  private static final long MINUTE = 60_000_000L;
  private static final List<String> KEYS =
      List.of("src_addr", "service", "dst_port", "outgoing", "protocol");
  private static final List<String> ARGUMENTS =
      List.of("dst_addr", "dst_port", "service", "state", "outgoing", "src_addr", "bytes / 3");

  private final Random random = new Random();

  /** A group of the model: by place in the select list a set, a count or a sum. */
  private static final class Group {
    private final Object[] values;

    Group(FlowQuery query) {
      values = new Object[query.select().size()];
      for (int c = 0; c < values.length; c++) {
        if (query.select().get(c).what() instanceof AggregateCall call) {
          values[c] = call.isDistinct() ? new HashSet<List<Object>>() : BigInteger.ZERO;
        }
      }
    }

    @SuppressWarnings("unchecked") // sets stand for distinct counts
    void add(FlowQuery query, NaiveRow row) {
      for (int c = 0; c < values.length; c++) {
        if (!(query.select().get(c).what() instanceof AggregateCall call)) {
          continue;
        }
        List<Object> arguments = new ArrayList<>();
        call.arguments().forEach(argument -> arguments.add(row.value(argument)));
        if (arguments.contains(null)) {
          continue;
        }
        if (call.isDistinct()) {
          ((Set<List<Object>>) values[c]).add(arguments);
        } else {
          boolean isSum = call.function() == AggregateFunction.SUM;
          String value = isSum ? arguments.get(0).toString() : "1";
          values[c] = ((BigInteger) values[c]).add(new BigInteger(value));
        }
      }
    }

    /** The numbers of its sets and sums, in the order of the select list. */
    String numbers() {
      StringBuilder text = new StringBuilder();
      for (Object value : values) {
        if (value != null) {
          text.append(value instanceof Set<?> set ? set.size() : value).append(' ');
        }
      }
      return text.toString();
    }
  }

  private record Case(String at, FlowQuery query, WindowSpec window, List<FlowBatch> flows) {}

  @Test
  void windowsCountWhatSetsHold() {
    for (long seed = 1; seed <= 40; seed++) {
      random.setSeed(seed);
      String sql = sql(seed);
      long slide = (1 + random.nextInt(10)) * MINUTE;
      long width = seed % 2 == 0 ? slide : slide * (2 + random.nextInt(4));
      WindowSpec window =
          new WindowSpec(
              width,
              slide,
              seed % 5 == 0 ? FlowColumn.ARRIVAL : FlowColumn.END_TIME,
              random.nextInt(30) * MINUTE / 20,
              WindowSpec.DEFAULT_AHEAD_MICROS);
      List<FlowBatch> flows = new RandomFlows(seed).within(40 * MINUTE).batches(8, 250);
      String at = "seed " + seed + ": " + sql + " " + window;
      check(new Case(at, QueryParser.parse(sql), window, flows));
    }
  }

  private String sql(long seed) {
    List<String> keys = some(KEYS, (int) (seed % 3));
    List<String> items = new ArrayList<>(keys);
    items.add("COUNT(DISTINCT " + String.join(", ", some(ARGUMENTS, 1 + random.nextInt(3))) + ")");
    if (random.nextBoolean()) {
      List<String> more = some(ARGUMENTS, 1 + random.nextInt(2));
      more.addAll(random.nextBoolean() ? keys : List.of());
      items.add("COUNT(DISTINCT " + String.join(", ", more) + ")");
    }
    if (random.nextInt(3) > 0) {
      items.add(random.nextInt(items.size() + 1), "COUNT(*)");
      items.add("COUNT(reverse_bytes)");
      items.add("SUM(bytes)");
    }
    String select =
        IntStream.range(0, items.size())
            .mapToObj(i -> items.get(i) + " AS c" + i)
            .collect(Collectors.joining(", "));
    return "SELECT "
        + select
        + " FROM flows"
        + (random.nextInt(3) == 0 ? " WHERE packets > 2" : "")
        + (keys.isEmpty() ? "" : " GROUP BY " + String.join(", ", keys));
  }

  private List<String> some(List<String> of, int count) {
    List<String> shuffled = new ArrayList<>(of);
    Collections.shuffle(shuffled, random);
    return new ArrayList<>(shuffled.subList(0, count));
  }

  private void check(Case test) {
    Map<Long, Map<List<Object>, Group>> expected = new TreeMap<>();
    Map<Long, Group> totals = new TreeMap<>();
    model(test, expected, totals);
    Map<Long, WindowPart> windows = live(test);
    assertEquals(expected.keySet(), windows.keySet(), test.at);
    windows.forEach(
        (end, part) -> {
          String at = test.at + " window " + end;
          Map<List<Object>, String> numbers = new HashMap<>();
          expected.get(end).forEach((key, group) -> numbers.put(key, group.numbers()));
          assertEquals(numbers, numbers(test.query, part.result()), at);
          assertEquals(expected.get(end).size(), part.groups(), at);
          checkTotals(test.query, totals.get(end), part.totals(), at);
        });
  }

  /** Assigns each flow to its windows by the specification, one flow at a time. */
  private static void model(
      Case test, Map<Long, Map<List<Object>, Group>> windows, Map<Long, Group> totals) {
    WindowSpec window = test.window;
    for (FlowBatch batch : test.flows) {
      for (int r = 0; r < batch.rows(); r++) {
        NaiveRow row = new NaiveRow(batch, r);
        if (test.query.where() != null && !Boolean.TRUE.equals(row.value(test.query.where()))) {
          continue;
        }
        long arrival = batch.getLong(FlowColumn.ARRIVAL, r);
        boolean timed =
            window.timeColumn() == FlowColumn.END_TIME && !batch.isNull(FlowColumn.END_TIME, r);
        long time = timed ? batch.getLong(FlowColumn.END_TIME, r) : arrival;
        List<Object> key = new ArrayList<>();
        for (Expression expression : test.query.groupBy()) {
          key.add(row.value(expression));
        }
        long end = Math.floorDiv(time, window.slideMicros()) * window.slideMicros();
        for (end += window.slideMicros(); end - window.widthMicros() <= time; ) {
          if (arrival <= end + window.latenessMicros()) {
            windows
                .computeIfAbsent(end, e -> new HashMap<>())
                .computeIfAbsent(key, k -> new Group(test.query))
                .add(test.query, row);
            totals.computeIfAbsent(end, e -> new Group(test.query)).add(test.query, row);
          }
          end += window.slideMicros();
        }
      }
    }
  }

  /** Several low levels of a few slots, a table for each key group, restored now and then. */
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
    lows.forEach(low -> assertEquals(0, low.panes(), test.at));
    deliver(test, sent, tables);
    return close(test, tables);
  }

  private void deliver(Case test, List<byte[]> sent, Map<Integer, WindowTables> tables) {
    Collections.shuffle(sent, random);
    for (byte[] bytes : sent) {
      PartialGroups groups = PartialGroups.open(bytes);
      assertTrue(
          tables
              .computeIfAbsent(groups.keyGroup(), k -> new WindowTables(7, test.query, test.window))
              .merge(groups),
          test.at);
    }
    sent.clear();
  }

  private Map<Long, WindowPart> close(Case test, Map<Integer, WindowTables> tables) {
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

  private static Map<List<Object>, String> numbers(FlowQuery query, ResultTable rows) {
    Map<List<Object>, String> numbers = new HashMap<>();
    for (int r = 0; r < rows.rowCount(); r++) {
      List<Object> key = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      for (int c = 0; c < query.select().size(); c++) {
        if (query.select().get(c).what() instanceof AggregateCall) {
          text.append(rows.bigValue(r, c)).append(' ');
        } else {
          key.add(key(rows, r, c));
        }
      }
      assertEquals(null, numbers.put(key, text.toString()), "a group is one row");
    }
    return numbers;
  }

  private static Object key(ResultTable rows, int row, int column) {
    if (rows.isNull(row, column)) {
      return null;
    }
    return switch (rows.kind(column)) {
      case ADDRESS -> rows.address(row, column);
      case TEXT -> rows.text(row, column);
      case BOOLEAN -> rows.longValue(row, column) != 0;
      default -> rows.longValue(row, column);
    };
  }

  private static void checkTotals(FlowQuery query, Group all, ResultTable totals, String at) {
    int column = 0;
    for (int c = 0; c < query.select().size(); c++) {
      if (!(query.select().get(c).what() instanceof AggregateCall call)) {
        continue;
      }
      if (call.isDistinct() && !call.arguments().containsAll(query.groupBy())) {
        assertTrue(totals.isNull(0, column), at + ": " + call + " has no total");
      } else {
        Object value = all.values[c];
        Object expected = value instanceof Set<?> set ? BigInteger.valueOf(set.size()) : value;
        assertEquals(expected, totals.bigValue(0, column), at + ": the total of " + call);
      }
      column++;
    }
  }

  @Test
  void aGroupsValuesAreInTheKeyGroupOfItsKeysAlone() {
    FlowQuery query =
        QueryParser.parse(
            "SELECT service, COUNT(DISTINCT dst_addr, service), COUNT(DISTINCT state, src_addr) AS"
                + " s FROM flows GROUP BY service");
    FlowQuery plain =
        QueryParser.parse("SELECT service, COUNT(*) AS n FROM flows GROUP BY service");
    WindowSpec window = WindowSpec.tumbling(24 * 60 * MINUTE, 0);
    List<FlowBatch> flows = new RandomFlows(11).within(MINUTE).batches(4, 500);
    List<Set<Integer>> found = new ArrayList<>();
    for (FlowQuery one : List.of(query, plain)) {
      Set<Integer> keyGroups = new HashSet<>();
      LowLevelQuery low =
          new LowLevelQuery(1, one, window, 8, 1000, (keyGroup, bytes) -> keyGroups.add(keyGroup));
      flows.forEach(low::process);
      low.drainAll();
      found.add(keyGroups);
    }
    assertEquals(found.get(1), found.get(0), "seed 11");
  }

  @Test
  void listsOfALiveQueryAreBounded() {
    String lists =
        IntStream.range(0, LiveGroupings.MAX_GROUPINGS + 1)
            .mapToObj(i -> "COUNT(DISTINCT bytes + " + i + ")")
            .collect(Collectors.joining(", "));
    FlowQuery query = QueryParser.parse("SELECT " + lists + " FROM flows");
    QueryException e = assertThrows(QueryException.class, () -> LiveGroupings.of(query));
    assertEquals(
        "a live query has at most 16 different COUNT(DISTINCT …), found 17", e.getMessage());
  }

  @Test
  void groupsOfAGroupingThatTheQueryHasNotAreRefused() {
    FlowQuery two =
        QueryParser.parse("SELECT COUNT(DISTINCT bytes), COUNT(DISTINCT packets) FROM flows");
    FlowQuery one = QueryParser.parse("SELECT COUNT(DISTINCT bytes) FROM flows");
    WindowSpec window = WindowSpec.tumbling(60 * MINUTE, 0);
    List<PartialGroups> sent = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(1, two, window, 8, 4, (k, bytes) -> sent.add(PartialGroups.open(bytes)));
    new RandomFlows(5).within(MINUTE).batches(1, 50).forEach(low::process);
    low.drainAll();
    WindowTables tables = new WindowTables(1, one, window);
    Map<Integer, String> refused = new TreeMap<>();
    for (PartialGroups groups : sent) {
      try {
        tables.merge(groups);
      } catch (PartialFormatException e) {
        refused.put(groups.grouping(), e.getMessage());
      }
    }
    assertEquals(Map.of(1, "partial groups of grouping 1, the query has 1"), refused);
  }
}
