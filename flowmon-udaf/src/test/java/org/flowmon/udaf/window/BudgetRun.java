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
import org.flowmon.udaf.window.GroupBudgetTest.Case;

/**
 * Some tasks that take flows, are stopped and restored as other tasks, and their windows against
 * one flow at a time.
 */
final class BudgetRun {
  /** A flow with the keys of its group and, for each grouping, with its arguments beside them. */
  private record Row(
      FlowBatch batch, int row, List<Object> keys, List<List<Object>> groups, int level) {}

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

  BudgetRun(Case test, WindowSpec window, GroupLimit limit, String at, Random random) {
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
      List<Object> keys = KeyLevels.values(batch, row, test.keys());
      List<List<Object>> groups = new ArrayList<>();
      for (List<FlowColumn> arguments : test.distinct()) {
        groups.add(List.of(keys, KeyLevels.values(batch, row, arguments)));
      }
      long pane = window.paneStart(batch.getLong(FlowColumn.END_TIME, row));
      rowsOfPane
          .computeIfAbsent(pane, start -> new ArrayList<>())
          .add(new Row(batch, row, keys, groups, KeyLevels.level(keys)));
    }
  }

  private void deliver(List<byte[]> sent) {
    Collections.shuffle(sent, random);
    for (byte[] bytes : sent) {
      PartialGroups of = PartialGroups.open(bytes);
      GroupBudget budget = budgets.get(taskOf[of.keyGroup()]);
      tables
          .computeIfAbsent(
              of.keyGroup(), k -> new WindowTables(7, query, window, budget, new WindowAdvances()))
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
