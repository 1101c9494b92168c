package org.flowmon.bench.udaf;

import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Point;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;

/**
 * The size of the low level's table for a number of groups (the paper's table 1). Both rules are
 * simulated by {@link SlotRule} and run by the low level's own table, which must evict as many
 * groups.
 */
public final class TableSizes implements Experiment {
  /** Average tuples of a group before any count. */
  private static final int FILL = 4;

  private static final int WARM_UPS = 2;

  /** The measurements of the low level's table. */
  private record Measured(long evicted, double nanos) {}

  @Override
  public void run(Run run) {
    for (Point at : run.points()) {
      int groups = at.integer("groups");
      int flows = Math.max(run.integer("rows"), 2 * FILL * groups);
      Spread spread = Spread.of(at.text("tuples"));
      GroupedFlows tuples = new GroupedFlows(flows, flows + 1, groups, spread, run.number("seed"));
      SlotRule rule = SlotRule.of(at.text("rule"));
      int from = FILL * groups;
      long most = (long) (run.decimal("share") * (tuples.hashes.length - from));
      int fewest = rule.leastSlots(tuples.hashes, from, most);
      run.add(0, at.row().put("slots", fewest).put("slots_per_group", fewest / (double) groups));

      int slots = Integer.highestOneBit(2 * fewest - 1);
      TableSize size =
          rule == SlotRule.DIRECT_MAPPED ? TableSize.directMapped(slots) : TableSize.of(slots);
      int rounds = run.integer("rounds");
      Measured measured = measure(tuples, GroupedFlows.COUNT_MIN_MAX, size, rounds);
      long expected = rule.evicted(tuples.hashes, slots, 0);
      Run.require(
          measured.evicted == expected,
          "the low level's table of %d slots evicted %d groups, its rule says %d",
          slots,
          measured.evicted,
          expected);
      run.add(
          1,
          at.row()
              .put("slots", slots)
              .put("evicting_share", measured.evicted / (double) tuples.hashes.length)
              .put("count_min_max_ns", measured.nanos)
              .put("sum_ns", measure(tuples, GroupedFlows.SUM, size, rounds).nanos));
    }
  }

  private static Measured measure(
      GroupedFlows tuples, FlowQuery asked, TableSize size, int rounds) {
    double least = Double.POSITIVE_INFINITY;
    long evicted = 0;
    for (int round = -WARM_UPS; round < rounds; round++) {
      LowLevelQuery query = GroupedFlows.query(asked, size);
      long start = Samples.cpuNanos();
      for (FlowBatch batch : tuples.batches) {
        query.process(batch);
      }
      long nanos = Samples.cpuNanos() - start;
      least = round < 0 ? least : Math.min(least, (double) nanos);
      LowLevelCounts counts = query.counts();
      evicted = counts.evictions() + counts.passedRows();
    }
    return new Measured(evicted, least / tuples.hashes.length);
  }
}
