package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.junit.jupiter.api.Test;

/** The condition under which a task may be certain that the groups of all tasks fit. */
class GroupBudgetOfTasksTest {
  private static final long MINUTE = 60_000_000L;
  private static final long START = 1_795_219_200_000_000L;

  /** Two tasks that each have room for their groups, but together may have too many. */
  private static final class TwoTasks {
    static final long ROOM = 10_000;

    final FlowQuery query =
        QueryParser.parse(
            "SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr ORDER BY src_addr LIMIT"
                + " 7");
    final WindowSpec window;
    final Map<Integer, WindowTables> tables = new TreeMap<>();
    final LowLevelQuery low;
    // By window end and key group: the last.
    final Map<Long, Map<Integer, WindowPart>> parts = new TreeMap<>();

    TwoTasks(WindowSpec window, int keyGroups) {
      this.window = window;
      List<GroupBudget> budgets = new ArrayList<>();
      for (int task = 0; task < 2; task++) {
        budgets.add(
            new GroupBudget(
                GroupLimit.ofGroups(ROOM * window.windowsPerPane()),
                window,
                keyGroups / 2,
                keyGroups));
      }
      this.low =
          new LowLevelQuery(
              7,
              query,
              window,
              1 << 16,
              keyGroups,
              (keyGroup, bytes) ->
                  tables
                      .computeIfAbsent(
                          keyGroup,
                          k ->
                              new WindowTables(
                                  7,
                                  query,
                                  window,
                                  budgets.get(k * 2 / keyGroups),
                                  new WindowAdvances()))
                      .merge(PartialGroups.open(bytes)));
    }

    /** One flow of each of these sources, all in the first minute, and closes windows. */
    void take(int firstSource, int count, long arrival, long watermark) {
      for (int first = firstSource; first < firstSource + count; first += 1000) {
        FlowBatchBuilder builder = new FlowBatchBuilder(1000);
        for (int source = first; source < first + 1000; source++) {
          builder.beginRow();
          builder.set(FlowColumn.ARRIVAL, arrival);
          builder.set(FlowColumn.END_TIME, START + source);
          builder.setIpv4(FlowColumn.SRC_ADDR, 0x0A000000 + source);
          builder.endRow();
        }
        low.process(FlowBatch.open(builder.build(1, 0, 0, 0)));
      }
      low.drainAll();
      tables.forEach(
          (keyGroup, table) ->
              table.closeUpTo(
                  watermark,
                  part ->
                      parts
                          .computeIfAbsent(part.windowEnd(), end -> new TreeMap<>())
                          .put(keyGroup, part)));
    }

    void requireASample(String at) {
      assertEquals(window.windowsPerPane(), parts.size(), at);
      parts.forEach(
          (end, ofWindow) -> {
            List<WindowPart> all = new ArrayList<>(ofWindow.values());
            all.subList(1, all.size()).forEach(all.get(0)::merge);
            WindowPart settled = all.get(0).settled(GroupLimit.ofGroups(ROOM));
            assertEquals(1, settled.level(), at + ", window " + end);
            assertEquals(7, settled.result().rowCount(), at + ", window " + end);
          });
    }
  }

  @Test
  void tasksThatAreWithinTheBudgetAreNotSureOfTheirSum() {
    for (int panes = 1; panes <= 2; panes++) {
      for (int keyGroups : new int[] {2, 32, 4096}) {
        TwoTasks tasks =
            new TwoTasks(
                new WindowSpec(
                    panes * MINUTE, MINUTE, FlowColumn.END_TIME, 0, MINUTE, false, false),
                keyGroups);
        tasks.take(0, 12_000, START + MINUTE, START + 10 * MINUTE);
        tasks.requireASample(panes + " panes, " + keyGroups + " key groups");
      }
    }
  }

  @Test
  void aTaskIsNotSureOfAResultThatLateFlowsMayRevise() {
    for (int keyGroups : new int[] {2, 32, 4096}) {
      TwoTasks tasks =
          new TwoTasks(
              new WindowSpec(MINUTE, MINUTE, FlowColumn.END_TIME, 3 * MINUTE, MINUTE, true, false),
              keyGroups);
      tasks.take(0, 3_000, START + MINUTE, START + MINUTE);
      tasks.take(3_000, 9_000, START + MINUTE + 1, START + 2 * MINUTE);
      tasks.requireASample(keyGroups + " key groups, revised");
      tasks.take(0, 1_000, START + 3 * MINUTE, START + 10 * MINUTE);
      tasks.requireASample(keyGroups + " key groups, for the last time");
    }
  }
}
