package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.value.ValueKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code flowmon bench udaf thresholds}: the limit of exact items in the high half by its cost and
 * memory (the paper's figures 9 and 10).
 */
@Command(
    name = "thresholds",
    mixinStandardHelpOptions = true,
    description =
        "HEAVY_HITTERS 'compress/adaptive' that sketches beyond 64, 128 or 256 different items:"
            + " nanoseconds of CPU and bytes of states for a tuple against the number of groups,"
            + " skewed tuples of ports and of addresses; exact_share is the share of groups that"
            + " stay exact.")
final class Thresholds implements Callable<Integer> {
  private static final int[] GROUPS = {10, 100, 1_000, 10_000};
  private static final int[] EXACT = {64, 128, 256};
  private static final String STRATEGY = "compress/adaptive";

  @Mixin private UdafOptions options;

  @Override
  public Integer call() throws IOException {
    options.check();
    BenchResult table = new BenchResult("udaf thresholds: compress/adaptive, least of rounds");
    List<SvgPlot> plots = new ArrayList<>();
    for (ValueKind kind : List.of(ValueKind.LONG, ValueKind.ADDRESS)) {
      String items = kind == ValueKind.LONG ? "ports" : "addresses";
      SvgPlot cost = new SvgPlot("Cost, " + items, "groups", true, "ns per tuple", false);
      SvgPlot space = new SvgPlot("Space, " + items, "groups", true, "bytes per tuple", true);
      for (int groups : options.groups(GROUPS)) {
        Tuples tuples =
            Tuples.ofItems(kind, options.rows(), groups, Tuples.ANY, Spread.SKEWED, options.seed());
        for (int exact : EXACT) {
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("items", items);
          row.put("groups", (long) groups);
          row.put("exact", (long) exact);
          measure(Functions.hitters(kind, STRATEGY, exact), tuples, row);
          options.progress(row);
          table.row(row);
          cost.point(exact + " exact items", groups, (double) row.get("total_ns"));
          space.point(exact + " exact items", groups, (double) row.get("state_bytes_per_tuple"));
        }
      }
      plots.add(cost);
      plots.add(space);
    }
    options.show("thresholds", List.of(table), plots.toArray(new SvgPlot[0]));
    return 0;
  }

  private void measure(BoundUdaf function, Tuples tuples, Map<String, Object> row) {
    Halves.Cost cost = Halves.of(function, tuples).measure(options.rounds());
    BoundExtractor list = TopFive.top(function, 1);
    long states = cost.states().stream().filter(Objects::nonNull).count();
    long exact =
        cost.states().stream()
            .filter(state -> state != null && list.bound(state).isExact())
            .count();
    Functions.put(row, cost, tuples);
    row.put("state_bytes_per_tuple", cost.stateBytes() / (double) tuples.rows);
    row.put("exact_share", exact / (double) states);
  }
}
