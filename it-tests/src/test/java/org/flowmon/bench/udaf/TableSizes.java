package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench udaf tables}: the size of the low level's table for a number of groups (the
 * paper's table 1). Both rules are simulated by {@link SlotRule} and run by the low level's own
 * table, which must eject as many groups.
 */
@Command(
    name = "tables",
    mixinStandardHelpOptions = true,
    description = {
      "The fewest slots of the low level's table with which at most a share of tuples ejects a"
          + " group, where groups are mapped directly or get a second chance.",
      "What the low level's own table ejects, and nanoseconds of a tuple for COUNT, MIN and MAX and"
          + " for SUM alone, are shown for the power of two above that."
    })
final class TableSizes implements Callable<Integer> {
  private static final int[] GROUPS = {2_000, 5_000, 10_000, 20_000, 40_000};
  private static final int QUICK = 50;

  /** Average tuples of a group before any count. */
  private static final int FILL = 4;

  @Mixin private UdafOptions options;

  @Option(
      names = "--share",
      defaultValue = "0.05",
      description = "Share of tuples that may eject a group; default ${DEFAULT-VALUE}.")
  private double share;

  /** The measurements of the low level's table. */
  private record Measured(long ejected, double nanos) {}

  @Override
  public Integer call() throws IOException {
    options.check();
    if (!(share > 0 && share < 1)) {
      throw new UsageException("--share is above 0 and below 1");
    }
    BenchResult rules = new BenchResult("udaf tables: at most " + share + " of tuples eject");
    BenchResult tables = new BenchResult("udaf tables: the low level's own, least of rounds");
    List<SvgPlot> plots = new ArrayList<>();
    for (Spread spread : Spread.values()) {
      SvgPlot plot = new SvgPlot(spread + " tuples", "groups", true, "fewest slots", true);
      for (int usual : GROUPS) {
        int groups = options.quick() ? usual / QUICK : usual;
        int flows = Math.max(options.rows(), 2 * FILL * groups);
        GroupedFlows tuples = new GroupedFlows(flows, flows + 1, groups, spread, options.seed());
        for (SlotRule rule : SlotRule.values()) {
          int slots = fewest(tuples, groups, rule);
          Map<String, Object> row = row(spread, groups, rule);
          row.put("slots", (long) slots);
          row.put("slots_per_group", slots / (double) groups);
          options.progress(row);
          rules.row(row);
          plot.point(rule.toString(), groups, slots);
          Map<String, Object> own = row(spread, groups, rule);
          measure(tuples, rule, slots, own);
          options.progress(own);
          tables.row(own);
        }
      }
      plots.add(plot);
    }
    options.show("tables", List.of(rules, tables), plots.toArray(new SvgPlot[0]));
    return 0;
  }

  private static Map<String, Object> row(Spread spread, int groups, SlotRule rule) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("tuples", spread.toString());
    row.put("groups", (long) groups);
    row.put("rule", rule.toString());
    return row;
  }

  private int fewest(GroupedFlows tuples, int groups, SlotRule rule) {
    int from = FILL * groups;
    return rule.leastSlots(tuples.hashes, from, (long) (share * (tuples.hashes.length - from)));
  }

  /** Measures the low level's table with the smallest sufficient power of two. */
  private void measure(GroupedFlows tuples, SlotRule rule, int fewest, Map<String, Object> row) {
    int slots = Integer.highestOneBit(2 * fewest - 1);
    TableSize size =
        rule == SlotRule.DIRECT_MAPPED ? TableSize.directMapped(slots) : TableSize.of(slots);
    long expected = rule.ejected(tuples.hashes, slots, 0);
    Measured measured = measure(tuples, GroupedFlows.COUNT_MIN_MAX, size);
    if (measured.ejected != expected) {
      throw new CommandException(
          "the low level's table of "
              + slots
              + " slots ejected "
              + measured.ejected
              + " groups, its rule says "
              + expected);
    }
    row.put("slots", (long) slots);
    row.put("ejecting_share", measured.ejected / (double) tuples.hashes.length);
    row.put("count_min_max_ns", measured.nanos);
    row.put("sum_ns", measure(tuples, GroupedFlows.SUM, size).nanos);
  }

  private Measured measure(GroupedFlows tuples, FlowQuery asked, TableSize size) {
    double least = Double.POSITIVE_INFINITY;
    long ejected = 0;
    for (int round = -2; round < options.rounds(); round++) {
      LowLevelQuery query = GroupedFlows.query(asked, size);
      long start = UdafOptions.cpuNanos();
      for (FlowBatch batch : tuples.batches) {
        query.process(batch);
      }
      long nanos = UdafOptions.cpuNanos() - start;
      least = round < 0 ? least : Math.min(least, (double) nanos);
      LowLevelCounts counts = query.counts();
      ejected = counts.evictions() + counts.passedRows();
    }
    return new Measured(ejected, least / tuples.hashes.length);
  }
}
