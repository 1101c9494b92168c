package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.FlowQueries;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupHolding;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.group.GroupStates;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.result.LiveGroupings;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

/**
 * Windows with more groups than there is room for, against one flow at a time: the flows alone
 * decide which groups are kept, and kept groups and totals are exact.
 */
class GroupBudgetTest {
  private static final long MINUTE = 60_000_000L;
  private static final long START = 1_795_219_200_000_000L;

  /** A query with the columns of its keys, and those of its arguments by COUNT(DISTINCT …). */
  private record Case(
      String sql, List<FlowColumn> keys, List<List<FlowColumn>> distinct, String totals) {
    FlowQuery query() {
      return QueryParser.parse(sql);
    }
  }

  private static final List<Case> CASES =
      List.of(
          new Case(
              "SELECT src_addr, SUM(bytes) AS b, COUNT(*) AS n FROM flows GROUP BY src_addr"
                  + " ORDER BY b DESC LIMIT 7",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b, COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT src_addr, dst_port, COUNT(*) AS n FROM flows GROUP BY src_addr, dst_port"
                  + " HAVING COUNT(*) < 3 ORDER BY n DESC LIMIT 5",
              List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_PORT),
              List.of(List.of()),
              "SELECT COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT service, MAX(bytes) AS m, COUNT(*) AS n FROM flows GROUP BY service",
              List.of(FlowColumn.SERVICE),
              List.of(List.of()),
              "SELECT MAX(bytes) AS m, COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT src_addr, COUNT(DISTINCT dst_addr, dst_port) AS t, COUNT(DISTINCT dst_port)"
                  + " AS p, SUM(bytes) AS b FROM flows GROUP BY src_addr ORDER BY t DESC LIMIT 6",
              List.of(FlowColumn.SRC_ADDR),
              List.of(
                  List.of(FlowColumn.DST_ADDR, FlowColumn.DST_PORT), List.of(FlowColumn.DST_PORT)),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT src_addr, dst_port, SUM(bytes) AS b FROM flows GROUP BY src_addr, dst_port"
                  + " ORDER BY b DESC LIMIT 1 BY dst_port LIMIT 6",
              List.of(FlowColumn.SRC_ADDR, FlowColumn.DST_PORT),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT dst_addr, src_addr, SUM(bytes) AS b FROM flows GROUP BY dst_addr, src_addr",
              List.of(FlowColumn.DST_ADDR, FlowColumn.SRC_ADDR),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT COUNT(DISTINCT src_addr) AS s, SUM(bytes) AS b FROM flows",
              List.of(),
              List.of(List.of(FlowColumn.SRC_ADDR)),
              "SELECT SUM(bytes) AS b FROM flows"),
          // Values taken out of these states are exact.
          new Case(
              "SELECT src_addr, QUANTILE(QUANTILES(bytes), 1) AS most, COUNT(QUANTILES(bytes)) AS"
                  + " v, COUNT(*) AS n FROM flows GROUP BY src_addr ORDER BY most DESC LIMIT 7",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of()),
              "SELECT COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT service, QUANTILE(QUANTILES(bytes), 0) AS least, SUM(bytes) AS b FROM flows"
                  + " GROUP BY service HAVING least < 2000",
              List.of(FlowColumn.SERVICE),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT src_addr, COUNT(DISTINCT dst_port) AS p, COUNT(QUANTILES(bytes)) AS v,"
                  + " SUM(bytes) AS b FROM flows GROUP BY src_addr HAVING v > 1 ORDER BY p DESC,"
                  + " v LIMIT 6",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of(FlowColumn.DST_PORT)),
              "SELECT SUM(bytes) AS b FROM flows"),
          new Case(
              "SELECT service, CARDINALITY(APPROX_COUNT_DISTINCT(dst_addr)) AS c, COUNT(*) AS n"
                  + " FROM flows GROUP BY service ORDER BY c DESC LIMIT 9",
              List.of(FlowColumn.SERVICE),
              List.of(List.of()),
              "SELECT COUNT(*) AS n FROM flows"),
          new Case(
              "SELECT src_addr, TOTAL(HEAVY_HITTERS(dst_addr, bytes)) AS t, SUM(bytes) AS b FROM"
                  + " flows GROUP BY src_addr HAVING b > 0 ORDER BY t DESC LIMIT 9",
              List.of(FlowColumn.SRC_ADDR),
              List.of(List.of()),
              "SELECT SUM(bytes) AS b FROM flows"));

  @Test
  void whatIsKeptIsExactAndAFunctionOfTheFlows() {
    Map<Integer, Integer> levels = levels(CASES, false);
    // With all groups, and with few of them.
    assertTrue(levels.keySet().containsAll(List.of(0, 1, 2, 3, 8, 10)), "" + levels);
  }

  @Test
  void soItIsWhereTheBytesOfStatesAreLimited() {
    List<Case> withStates =
        CASES.stream().filter(test -> test.sql().matches(".*(QUANTILES|APPROX|HEAVY).*")).toList();
    Map<Integer, Integer> levels = levels(withStates, true);
    assertTrue(levels.keySet().containsAll(List.of(0, 1, 2, 3, 5, 8)), "" + levels);
  }

  private static Map<Integer, Integer> levels(List<Case> cases, boolean limitBytes) {
    Map<Integer, Integer> levels = new TreeMap<>();
    int seeds =
        (limitBytes ? 80 : 120)
            * Integer.getInteger("flowmon.test.times", 1); // those with states take longer
    for (int seed = 1; seed <= seeds; seed++) {
      Random random = new Random(limitBytes ? -seed : seed);
      Case test = cases.get(seed % cases.size());
      long slide = (1 + random.nextInt(4)) * MINUTE;
      int panes = seed % 2 == 0 ? 1 : 1 + random.nextInt(4);
      WindowSpec window =
          new WindowSpec(
              slide * panes,
              slide,
              FlowColumn.END_TIME,
              random.nextInt(40) * MINUTE / 20,
              WindowSpec.DEFAULT_AHEAD_MICROS,
              seed % 3 == 0,
              false);
      long budget = panes * (long) (1 << random.nextInt(10));
      long bytes = limitBytes ? panes * (512L << random.nextInt(11)) : Long.MAX_VALUE;
      GroupLimit limit = new GroupLimit(budget * (limitBytes ? 4 : 1), bytes);
      String at = "seed " + seed + ": " + test.sql() + " " + window + ", budget " + limit;
      List<FlowBatch> flows = flows(random);
      Map<Integer, Integer> found = new Run(test, window, limit, at, random).check(flows);
      found.forEach((level, windows) -> levels.merge(level, windows, Integer::sum));
    }
    return levels;
  }

  /** Flows in the order of their arrival. */
  private static List<FlowBatch> flows(Random random) {
    List<FlowBatch> batches = new ArrayList<>();
    long arrival = START;
    int late = random.nextBoolean() ? 2 : 10; // one of so many comes long after its end
    for (int b = 0; b < 60; b++) {
      FlowBatchBuilder builder = new FlowBatchBuilder(60);
      for (int r = 0; r < 60; r++) {
        arrival += random.nextInt(200_000);
        builder.beginRow();
        builder.set(FlowColumn.ARRIVAL, arrival);
        builder.set(
            FlowColumn.END_TIME,
            arrival - random.nextInt(random.nextInt(late) == 0 ? 120_000_000 : 2_000_000));
        if (random.nextInt(20) > 0) {
          address(builder, FlowColumn.SRC_ADDR, random);
        }
        address(builder, FlowColumn.DST_ADDR, random);
        if (random.nextInt(20) > 0) {
          builder.set(FlowColumn.DST_PORT, random.nextInt(40));
          builder.setText(FlowColumn.SERVICE, "s" + random.nextInt(300));
        }
        builder.set(FlowColumn.BYTES, random.nextInt(5000));
        builder.endRow();
      }
      batches.add(FlowBatch.open(builder.build(1, b, 60L * b, 0)));
    }
    return batches;
  }

  private static void address(FlowBatchBuilder builder, FlowColumn column, Random random) {
    int host = random.nextInt(random.nextBoolean() ? 1000 : 20);
    if (host % 5 == 0) {
      builder.setAddress(column, new IpAddress(0x20010DB8_00000000L, host));
    } else {
      builder.setIpv4(column, 0x0A000000 + host);
    }
  }

  /** The hash of docs/format/partial-groups.md. */
  private static long hash(List<Object> values) {
    long hash = 0x2545F4914F6CDD1DL;
    long nulls = 0;
    for (int k = 0; k < values.size(); k++) {
      Object value = values.get(k);
      if (value instanceof IpAddress address) {
        hash = mix(mix(hash, address.hi()), address.lo());
      } else if (value instanceof String text) {
        long word = 0x2545F4914F6CDD1DL;
        for (int i = 0; i < text.length(); i++) {
          word = mix(word, text.charAt(i));
        }
        hash = mix(hash, finish(word));
      } else if (value instanceof Nothing nothing) {
        for (int w = 0; w < nothing.words(); w++) {
          hash = mix(hash, 0);
        }
        nulls |= 1L << k;
      } else {
        hash = mix(hash, (Long) value);
      }
    }
    return finish(nulls == 0 ? hash : mix(hash, nulls));
  }

  private static long mix(long hash, long word) {
    return (Long.rotateLeft(hash, 25) ^ word) * 0x9E3779B97F4A7C15L;
  }

  private static long finish(long hash) {
    long spread = (hash ^ (hash >>> 32)) * 0xD6E8FEB86659FD93L;
    return spread ^ (spread >>> 32);
  }

  /** A NULL of a column with so many words. */
  private record Nothing(int words) {}

  private static List<Object> values(FlowBatch batch, int row, List<FlowColumn> columns) {
    List<Object> values = new ArrayList<>();
    for (FlowColumn column : columns) {
      boolean isAddress = column == FlowColumn.SRC_ADDR || column == FlowColumn.DST_ADDR;
      if (batch.isNull(column, row)) {
        values.add(new Nothing(isAddress ? 2 : 1));
      } else if (isAddress) {
        values.add(batch.getAddress(column, row));
      } else if (column == FlowColumn.SERVICE) {
        values.add(batch.text(column, row));
      } else {
        values.add(batch.getLong(column, row));
      }
    }
    return values;
  }

  private static int level(List<Object> keys) {
    long hash = hash(keys);
    int level = 0;
    while (level < 16 && (hash >>> (32 + level) & 1) == 0) {
      level++;
    }
    return level;
  }

  /** A flow with the keys of its group and, for each grouping, with its arguments beside them. */
  private record Row(
      FlowBatch batch, int row, List<Object> keys, List<List<Object>> groups, int level) {}

  /** Some tasks that take the flows, are stopped and restored as other tasks. */
  private static final class Run {
    private final Case test;
    private final FlowQuery query;
    private final WindowSpec window;
    private final GroupLimit limit;
    private final String at;
    private final Random random;
    private final int keyGroups;
    private final List<GroupBudget> budgets = new ArrayList<>();
    private int[] taskOf;
    private Map<Integer, WindowTables> tables = new HashMap<>();
    // By window end, then by key group.
    private final Map<Long, Map<Integer, byte[]>> parts = new TreeMap<>();
    private final Map<Integer, Integer> levels = new TreeMap<>();
    private final Map<Long, List<Row>> rowsOfPane = new TreeMap<>();
    // By pane, group and number of rows: of each group the first ones count.
    private final Map<List<Object>, Long> charged = new HashMap<>();

    Run(Case test, WindowSpec window, GroupLimit limit, String at, Random random) {
      this.test = test;
      this.query = test.query();
      this.window = window;
      this.limit = limit;
      this.at = at;
      this.random = random;
      this.keyGroups = 1 + random.nextInt(20);
      start();
    }

    /** Continues the state with other tasks. */
    private void start() {
      int tasks = 1 + random.nextInt(Math.min(4, keyGroups));
      taskOf = new int[keyGroups];
      int[] sizes = new int[tasks];
      for (int keyGroup = 0; keyGroup < keyGroups; keyGroup++) {
        taskOf[keyGroup] = keyGroup * tasks / keyGroups;
        sizes[taskOf[keyGroup]]++;
      }
      budgets.clear();
      for (int size : sizes) {
        budgets.add(new GroupBudget(limit, window, size, keyGroups));
      }
      Map<Integer, WindowTables> before = tables;
      tables = new HashMap<>();
      before.forEach(
          (keyGroup, of) ->
              tables.put(
                  keyGroup,
                  WindowTables.fromBytes(
                      of.toBytes(),
                      7,
                      query,
                      window,
                      budgets.get(taskOf[keyGroup]),
                      new WindowAdvances())));
    }

    Map<Integer, Integer> check(List<FlowBatch> flows) {
      List<byte[]> sent = new ArrayList<>();
      LowLevelQuery low =
          new LowLevelQuery(7, query, window, 16, keyGroups, (keyGroup, b) -> sent.add(b));
      for (FlowBatch batch : flows) {
        note(batch);
        low.process(batch);
        long watermark = batch.maxArrival() - 1;
        low.closePanesUpTo(watermark);
        if (random.nextInt(3) == 0) {
          low.drainAll();
        }
        while (!low.drainSome(64)) {
          // until all closed panes are out
        }
        deliver(sent);
        close(watermark);
        if (random.nextInt(12) == 0) {
          low.drainAll();
          deliver(sent);
          start();
        }
      }
      low.drainAll();
      deliver(sent);
      close(Long.MAX_VALUE / 4);
      assertTrue(parts.isEmpty() || window.revised(), at);
      return levels;
    }

    private void note(FlowBatch batch) {
      for (int row = 0; row < batch.rows(); row++) {
        List<Object> keys = values(batch, row, test.keys());
        List<List<Object>> groups = new ArrayList<>();
        for (List<FlowColumn> arguments : test.distinct()) {
          groups.add(List.of(keys, values(batch, row, arguments)));
        }
        long pane = window.paneStart(batch.getLong(FlowColumn.END_TIME, row));
        rowsOfPane
            .computeIfAbsent(pane, start -> new ArrayList<>())
            .add(new Row(batch, row, keys, groups, level(keys)));
      }
    }

    private void deliver(List<byte[]> sent) {
      Collections.shuffle(sent, random);
      for (byte[] bytes : sent) {
        PartialGroups of = PartialGroups.open(bytes);
        GroupBudget budget = budgets.get(taskOf[of.keyGroup()]);
        tables
            .computeIfAbsent(
                of.keyGroup(),
                k -> new WindowTables(7, query, window, budget, new WindowAdvances()))
            .merge(of);
        checkBudget(taskOf[of.keyGroup()]);
      }
      sent.clear();
    }

    /** The task that took groups; a merge changes nothing of others. */
    private void checkBudget(int task) {
      GroupHolding held = GroupHolding.NONE;
      for (Map.Entry<Integer, WindowTables> table : tables.entrySet()) {
        boolean isOfTask = taskOf[table.getKey()] == task;
        held = isOfTask ? held.plus(table.getValue().holding()) : held;
      }
      GroupLimit ofPane = limit.ofPane(window);
      long panes = budgets.get(task).openPanes();
      assertEquals(held.groups(), budgets.get(task).groups(), at);
      assertEquals(held.stateBytes(), budgets.get(task).stateBytes(), at);
      boolean anyBytes = limit.stateBytes() == Long.MAX_VALUE;
      assertTrue(held.groups() <= ofPane.groups() * panes, at + ": " + held);
      assertTrue(anyBytes || held.stateBytes() <= ofPane.stateBytes() * panes, at + ": " + held);
    }

    private void close(long watermark) {
      Set<Long> ends = new HashSet<>();
      tables.forEach(
          (keyGroup, table) ->
              table.closeUpTo(
                  watermark,
                  part -> {
                    ends.add(part.windowEnd());
                    parts
                        .computeIfAbsent(part.windowEnd(), end -> new TreeMap<>())
                        .put(keyGroup, part.toBytes());
                  }));
      for (long end : ends) {
        WindowPart merged = null;
        List<byte[]> all = new ArrayList<>(parts.get(end).values());
        Collections.shuffle(all, random);
        for (byte[] bytes : all) {
          WindowPart part = WindowPart.open(bytes, query);
          if (merged == null) {
            merged = part;
          } else {
            merged.merge(part);
          }
        }
        check(end, merged, window.completeThrough(end, watermark));
      }
      parts.keySet().removeIf(end -> window.isClosed(end, watermark));
    }

    /** The rows of a pane that count in a window's result. */
    private List<Row> rows(long pane, long end, long through) {
      List<Row> rows = new ArrayList<>();
      for (Row row : rowsOfPane.getOrDefault(pane, List.of())) {
        long arrival = row.batch().getLong(FlowColumn.ARRIVAL, row.row());
        if (arrival <= end + window.latenessMicros() && arrival <= through) {
          rows.add(row);
        }
      }
      return rows;
    }

    private void check(long end, WindowPart merged, long through) {
      String here = at + ", window " + end + " through " + through;
      GroupLimit room = limit.ofPane(window);
      int level = 0;
      List<Row> all = new ArrayList<>();
      for (long pane = end - window.widthMicros(); pane < end; pane += window.slideMicros()) {
        List<Row> rows = rows(pane, end, through);
        all.addAll(rows);
        Map<Integer, Long> groups = groupsByLevel(rows);
        Map<Integer, Long> bytes = stateBytesByLevel(pane, rows);
        while (level < 17
            && (from(groups, level) > room.groups() || from(bytes, level) > room.stateBytes())) {
          level++;
        }
      }
      int expectedLevel = level;
      List<Row> kept = all.stream().filter(row -> row.level() >= expectedLevel).toList();
      List<Row> left = expectedLevel == 17 ? List.of() : kept;
      WindowPart settled = merged.settled(room);
      assertEquals(level, settled.level(), here);
      assertEquals(answer(left, query), settled.result(), here);
      checkTotals(answer(all, QueryParser.parse(test.totals())), settled, here);
      long different = left.stream().map(Row::keys).distinct().count();
      assertEquals(different, settled.groups(), here);
      assertEquals(
          level > 0 && different == 0 ? -1 : different << level, settled.estimatedGroups(), here);
      levels.merge(level, 1, Integer::sum);
    }

    private static void checkTotals(ResultTable expected, WindowPart settled, String here) {
      ResultTable totals = settled.totals();
      assertEquals(expected, totals.select(expected.names().toArray(new String[0])), here);
      for (int c = 0; c < totals.columnCount() && settled.level() > 0; c++) {
        // COUNT(DISTINCT …) over all groups is unknown
        assertEquals(!expected.names().contains(totals.name(c)), totals.isNull(0, c), here);
      }
    }

    private static long from(Map<Integer, Long> byLevel, int from) {
      return byLevel.entrySet().stream()
          .filter(level -> level.getKey() >= from)
          .mapToLong(Map.Entry::getValue)
          .sum();
    }

    /** The bytes charged for function states, each made from all rows of its group in one step. */
    private Map<Integer, Long> stateBytesByLevel(long pane, List<Row> rows) {
      Map<Integer, Long> byLevel = new TreeMap<>();
      GroupLayout layout = LiveGroupings.of(query).groupings().get(0);
      if (layout.functions().isEmpty() || limit.stateBytes() == Long.MAX_VALUE) {
        return byLevel;
      }
      // For a query with COUNT(DISTINCT …), each group of its first grouping has states.
      Map<List<Object>, List<Row>> byGroup = new HashMap<>();
      for (Row row : rows) {
        byGroup.computeIfAbsent(row.groups().get(0), k -> new ArrayList<>()).add(row);
      }
      byGroup.forEach(
          (key, group) -> {
            long bytes =
                charged.computeIfAbsent(
                    List.of(pane, key, group.size()), first -> chargedBytes(group));
            byLevel.merge(group.get(0).level(), bytes, Long::sum);
          });
      return byLevel;
    }

    private long chargedBytes(List<Row> group) {
      FlowBatchBuilder builder = new FlowBatchBuilder(group.size());
      group.forEach(row -> builder.appendRow(row.batch(), row.row()));
      FlowBatch batch = FlowBatch.open(builder.build(1, 0, 0, 0));
      FlowQuery states = DistinctCounts.of(query) == null ? query : grouping();
      GroupCollector all = new GroupCollector(states);
      int[] selection = new int[batch.rows()];
      Arrays.setAll(selection, r -> r);
      for (int from = 0; from < selection.length; from += 1000) {
        int n = Math.min(1000, selection.length - from);
        all.add(batch, from, selection, n);
      }
      GroupStates of = all.table().states();
      long bytes = 0;
      for (int f = 0; f < of.count(); f++) {
        bytes += of.state(f, 0).chargedBytes();
      }
      return bytes;
    }

    private FlowQuery grouping() {
      return DistinctCounts.of(query).groupings().get(0);
    }

    /** Different groups of all groupings. */
    private Map<Integer, Long> groupsByLevel(List<Row> rows) {
      Map<Integer, Long> byLevel = new TreeMap<>();
      for (int grouping = 0; grouping < test.distinct().size(); grouping++) {
        Set<List<Object>> known = new HashSet<>();
        for (Row row : rows) {
          if (known.add(row.groups().get(grouping))) {
            byLevel.merge(row.level(), 1L, Long::sum);
          }
        }
      }
      return byLevel;
    }

    private ResultTable answer(List<Row> rows, FlowQuery of) {
      if (rows.isEmpty()) {
        return FlowQueries.run(List.of(), of).withRows(new int[0]);
      }
      FlowBatchBuilder builder = new FlowBatchBuilder(10_000);
      rows.forEach(row -> builder.appendRow(row.batch(), row.row()));
      return FlowQueries.run(List.of(FlowBatch.open(builder.build(1, 0, 0, 0))), of);
    }
  }
}
