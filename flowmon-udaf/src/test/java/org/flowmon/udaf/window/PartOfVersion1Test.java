package org.flowmon.udaf.window;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.RandomFlows;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.group.GroupSample;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialBytesTest;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.partial.TablePartials;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.GroupCollector;
import org.junit.jupiter.api.Test;

/** Parts written before samples existed, beside parts that have some. */
class PartOfVersion1Test {
  private static final WindowSpec WINDOW = WindowSpec.tumbling(1000, 0);
  private static final int TASKS = 4;

  private static void require(FlowQuery query) {
    int exact = 0;
    int samples = 0;
    int none = 0;
    for (int seed = 1; seed <= 60; seed++) {
      String at = query + ", seed " + seed;
      Random random = new Random(seed);
      GroupCollector all = new GroupCollector(query);
      List<GroupCollector> ofTasks = new ArrayList<>();
      for (int task = 0; task < TASKS; task++) {
        ofTasks.add(new GroupCollector(query));
      }
      for (FlowBatch batch : new RandomFlows(seed).batches(2, 400)) {
        collect(batch, all, ofTasks);
      }
      int groups = all.table().size();
      int room = groups / 4 + random.nextInt(groups);
      boolean anyOld = false;
      List<WindowPart> parts = new ArrayList<>();
      for (GroupCollector task : ofTasks) {
        boolean isOld = random.nextInt(4) == 0;
        GroupBudget budget =
            isOld
                ? GroupBudget.unlimited(WINDOW)
                : new GroupBudget(GroupLimit.ofGroups(room), WINDOW, 1, TASKS);
        WindowTables tables = new WindowTables(9, query, WINDOW, budget, new WindowAdvances());
        TablePartials.of(task.table(), 9, 0, 77, 5000, 6000, 7000)
            .forEach(bytes -> tables.merge(PartialGroups.open(bytes)));
        List<WindowPart> closed = new ArrayList<>();
        tables.closeUpTo(6000, closed::add);
        if (isOld && !closed.isEmpty()) {
          anyOld = true;
          byte[] bytes = closed.get(0).toBytes();
          int words = 1 + task.table().layout().stateWords();
          parts.add(WindowPart.open(PartialBytesTest.stateOf1(bytes, words), query));
        } else {
          parts.addAll(closed);
        }
      }
      Collections.shuffle(parts, random);
      parts.subList(1, parts.size()).forEach(parts.get(0)::merge);
      WindowPart settled = parts.get(0).settled(GroupLimit.ofGroups(room));
      WindowPart whole = WindowPart.of(9, 6000, query, all.table());
      // Totals are of all groups, except COUNT(DISTINCT …), which does not occur here.
      assertEquals(whole.totals(), settled.totals(), at);
      if (settled.level() == 0) {
        assertEquals(whole.result(), settled.result(), at);
        assertEquals(groups, settled.estimatedGroups(), at);
        exact += anyOld ? 1 : 0;
      } else if (anyOld) {
        assertEquals(GroupSample.NONE, settled.level(), at);
        assertEquals(0, settled.result().rowCount(), at);
        assertEquals(-1, settled.estimatedGroups(), at);
        none++;
      } else {
        samples++;
      }
    }
    assertTrue(exact > 5 && none > 5 && samples > 5, exact + " " + none + " " + samples);
  }

  /** Each group is of one task. */
  private static void collect(FlowBatch batch, GroupCollector all, List<GroupCollector> ofTasks) {
    int[][] rows = new int[TASKS][batch.rows()];
    int[] counts = new int[TASKS];
    int[] every = new int[batch.rows()];
    for (int row = 0; row < batch.rows(); row++) {
      IpAddress source = batch.getAddress(FlowColumn.SRC_ADDR, row);
      int task = source == null ? 0 : Math.floorMod(source.lo(), TASKS);
      rows[task][counts[task]++] = row;
      every[row] = row;
    }
    all.add(batch, 0, every, every.length);
    for (int task = 0; task < TASKS; task++) {
      ofTasks.get(task).add(batch, 0, Arrays.copyOf(rows[task], counts[task]), counts[task]);
    }
  }

  @Test
  void aWindowWithSuchAPartIsOfAllGroupsOrOfNone() {
    require(
        QueryParser.parse(
            "SELECT src_addr, src_port, SUM(bytes) AS b FROM flows GROUP BY src_addr, src_port"
                + " ORDER BY b DESC LIMIT 5"));
    require(
        QueryParser.parse(
            "SELECT src_addr, src_port, COUNT(*) AS n, SUM(bytes) AS b FROM flows GROUP BY"
                + " src_addr, src_port HAVING b > 1000 ORDER BY b, src_addr, src_port"));
    require(
        QueryParser.parse(
            "SELECT src_addr, src_port, MAX(bytes) AS b FROM flows GROUP BY src_addr, src_port"));
  }
}
