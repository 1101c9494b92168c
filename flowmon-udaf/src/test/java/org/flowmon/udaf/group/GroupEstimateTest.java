package org.flowmon.udaf.group;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.window.GroupBudget;
import org.flowmon.udaf.window.WindowAdvances;
import org.flowmon.udaf.window.WindowPart;
import org.flowmon.udaf.window.WindowTables;
import org.junit.jupiter.api.Test;

/** The number of groups of a sampled window lies within its bounds as often as stated. */
class GroupEstimateTest {
  private static final int RUNS = 1000;
  private static final WindowSpec WINDOW =
      new WindowSpec(10_000_000, 10_000_000, FlowColumn.END_TIME, 0, 0);
  private static final FlowQuery QUERY =
      QueryParser.parse("SELECT src_addr, COUNT(*) AS n FROM flows GROUP BY src_addr");

  @Test
  void theTrueNumberLiesWithinTheBounds() {
    int within = 0;
    double width = 0;
    for (int seed = 1; seed <= RUNS; seed++) {
      Random random = new Random(seed);
      int groups = 200 + random.nextInt(3000);
      int room = 20 + random.nextInt(groups / 2 - 20);
      WindowPart part = part(groups, random, new GroupLimit(room, Long.MAX_VALUE));
      GroupEstimate estimate = GroupEstimate.of(part.estimatedGroups(), part.level());
      String at = "seed " + seed + ": " + estimate + " of " + groups + ", level " + part.level();
      assertTrue(part.level() > 0 && part.groups() <= room, at);
      assertEquals(part.groups() << part.level(), estimate.value(), at);
      assertTrue(estimate.lower() <= estimate.value(), at);
      assertTrue(estimate.upper() >= estimate.value(), at);
      assertTrue(estimate.lower() >= part.groups(), at);
      within += estimate.lower() <= groups && groups <= estimate.upper() ? 1 : 0;
      width += (double) (estimate.upper() - estimate.lower()) / groups / Math.sqrt(1.0 / room);
      // Totals are no estimates.
      assertEquals("" + groups, part.totals().value(0, 0).toString().replaceAll("\\D", ""), at);
    }
    assertTrue(within >= 0.93 * RUNS, within + " of " + RUNS);
    // Bounds wider than necessary would say nothing.
    assertTrue(within <= 0.99 * RUNS, within + " of " + RUNS);
    assertTrue(width / RUNS < 8, width / RUNS + " standard errors of those there is room for");
  }

  private static WindowPart part(int groups, Random random, GroupLimit limit) {
    List<byte[]> sent = new ArrayList<>();
    LowLevelQuery low =
        new LowLevelQuery(7, QUERY, WINDOW, 256, 4, (keyGroup, bytes) -> sent.add(bytes));
    Set<Integer> sources = new HashSet<>();
    while (sources.size() < groups) {
      sources.add(random.nextInt());
    }
    FlowBatchBuilder builder = new FlowBatchBuilder(groups);
    for (int source : sources) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1000);
      builder.set(FlowColumn.END_TIME, 1000);
      builder.setIpv4(FlowColumn.SRC_ADDR, source);
      builder.endRow();
    }
    low.process(FlowBatch.open(builder.build(1, 0, 0, 0)));
    low.drainAll();
    GroupBudget budget = new GroupBudget(limit, WINDOW, 1, 1);
    List<WindowTables> tables = new ArrayList<>();
    for (int keyGroup = 0; keyGroup < 4; keyGroup++) {
      tables.add(new WindowTables(7, QUERY, WINDOW, budget, new WindowAdvances()));
    }
    for (byte[] bytes : sent) {
      PartialGroups of = PartialGroups.open(bytes);
      tables.get(of.keyGroup()).merge(of);
    }
    List<WindowPart> parts = new ArrayList<>();
    tables.forEach(of -> of.closeUpTo(10_000_000, parts::add));
    parts.subList(1, parts.size()).forEach(parts.get(0)::merge);
    return parts.get(0).settled(limit);
  }

  @Test
  void allGroupsAreNoEstimateAndNoneTellNothing() {
    assertEquals(new GroupEstimate(5, 5, 5), GroupEstimate.of(5, 0));
    assertEquals(GroupEstimate.UNKNOWN, GroupEstimate.of(-1, 17));
    assertEquals(GroupEstimate.UNKNOWN, GroupEstimate.of(-1, 3));
    assertEquals(GroupEstimate.UNKNOWN, GroupEstimate.of(40, 17));
  }
}
