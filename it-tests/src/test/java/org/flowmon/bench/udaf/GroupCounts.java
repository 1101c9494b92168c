package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.value.ValueKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code flowmon bench udaf groups}: CPU by number of groups (the paper's figure 8). */
@Command(
    name = "groups",
    mixinStandardHelpOptions = true,
    description =
        "Nanoseconds of CPU for a tuple at both levels against 10 \u2026 30,000 groups, skewed"
            + " tuples: HEAVY_HITTERS with each low half and the high half that goes with it.")
final class GroupCounts implements Callable<Integer> {
  private static final int[] GROUPS = {10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000};
  private static final List<String> STRATEGIES =
      List.of("buffer/adaptive", "hash/adaptive", "compress/adaptive", "sketch/sketch");

  @Mixin private UdafOptions options;

  @Override
  public Integer call() throws IOException {
    options.check();
    BenchResult table = new BenchResult("udaf groups: HEAVY_HITTERS, skewed, least of rounds");
    SvgPlot low = new SvgPlot("Low level", "groups", true, "ns per tuple", true);
    SvgPlot both = new SvgPlot("Both levels", "groups", true, "ns per tuple", true);
    for (int groups : options.groups(GROUPS)) {
      Tuples tuples =
          Tuples.ofItems(
              ValueKind.ADDRESS, options.rows(), groups, Tuples.ANY, Spread.SKEWED, options.seed());
      Map<String, BoundUdaf> functions = new LinkedHashMap<>();
      functions.put(SumBaseline.NAME, new SumBaseline(1));
      STRATEGIES.forEach(strategy -> functions.put(strategy, Functions.hitters(strategy)));
      functions.forEach(
          (strategy, function) -> {
            if (!Halves.fit(function, groups)) {
              options.progress("%s with %d groups does not fit the heap", strategy, groups);
              return;
            }
            Halves.Cost cost = Halves.of(function, tuples).measure(options.rounds());
            options.progress("%s", Functions.text(groups + " groups, " + strategy, cost));
            Map<String, Object> row = new LinkedHashMap<>();
            row.put("groups", (long) groups);
            row.put("strategy", strategy);
            Functions.put(row, cost, tuples);
            table.row(row);
            low.point(strategy, groups, cost.lowNanos());
            both.point(strategy, groups, cost.nanos());
          });
    }
    options.show("groups", List.of(table), low, both);
    return 0;
  }
}
