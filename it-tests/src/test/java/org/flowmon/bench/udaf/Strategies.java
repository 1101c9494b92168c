package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.ArrayList;
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

/**
 * {@code flowmon bench udaf strategies}: cost of each strategy at both levels (the paper's figures
 * 4, 5 and 6), beside a function that only adds and one that leaves all work to the high level.
 */
@Command(
    name = "strategies",
    mixinStandardHelpOptions = true,
    description = {
      "Nanoseconds of CPU for a tuple at the low and the high level, for every strategy of"
          + " HEAVY_HITTERS and QUANTILES, uniform and skewed tuples, 100, 1,000 and 10,000"
          + " groups.",
      "null only adds; high only hands each tuple on by itself."
    })
final class Strategies implements Callable<Integer> {
  private static final int[] GROUPS = {100, 1_000, 10_000};
  private static final String HIGH_ONLY = "high only: ";

  @Mixin private UdafOptions options;

  @Override
  public Integer call() throws IOException {
    options.check();
    List<BenchResult> tables = new ArrayList<>();
    List<SvgPlot> plots = new ArrayList<>();
    for (String function : List.of("HEAVY_HITTERS", "QUANTILES")) {
      BenchResult table = new BenchResult("udaf strategies: " + function + ", least of rounds");
      for (Spread spread : Spread.values()) {
        SvgPlot plot =
            new SvgPlot(function + ", " + spread + " tuples", "groups", true, "ns per tuple", true);
        for (int groups : options.groups(GROUPS)) {
          measure(function, spread, groups, table, plot);
        }
        plots.add(plot);
      }
      tables.add(table);
    }
    options.show("strategies", tables, plots.toArray(new SvgPlot[0]));
    return 0;
  }

  private void measure(
      String function, Spread spread, int groups, BenchResult table, SvgPlot plot) {
    boolean ofHitters = function.equals("HEAVY_HITTERS");
    Tuples tuples =
        ofHitters
            ? Tuples.ofItems(
                ValueKind.ADDRESS, options.rows(), groups, Tuples.ANY, spread, options.seed())
            : Tuples.ofNumbers(options.rows(), groups, Tuples.ANY, spread, options.seed());
    Map<String, Halves> all = new LinkedHashMap<>();
    all.put(SumBaseline.NAME, Halves.of(new SumBaseline(ofHitters ? 1 : 0), tuples));
    for (String strategy :
        ofHitters ? List.of("buffer/direct", "buffer/adaptive") : List.of("lite", "kll")) {
      String high = strategy.substring(strategy.indexOf('/') + 1);
      all.put(HIGH_ONLY + high, Halves.highOnly(bind(ofHitters, strategy), tuples));
    }
    show(all, spread, groups, tuples, table, plot);
    for (String strategy : ofHitters ? Functions.HITTERS : Functions.QUANTILES) {
      BoundUdaf bound = bind(ofHitters, strategy);
      if (Halves.fit(bound, groups)) {
        show(Map.of(strategy, Halves.of(bound, tuples)), spread, groups, tuples, table, plot);
      } else {
        options.progress("%s with %d groups does not fit the heap", strategy, groups);
      }
    }
  }

  private static BoundUdaf bind(boolean ofHitters, String strategy) {
    return ofHitters ? Functions.hitters(strategy) : Functions.quantiles(strategy);
  }

  private void show(
      Map<String, Halves> all,
      Spread spread,
      int groups,
      Tuples tuples,
      BenchResult table,
      SvgPlot plot) {
    all.forEach(
        (strategy, halves) -> {
          Halves.Cost cost = halves.measure(options.rounds());
          options.progress(
              "%s", Functions.text(spread + ", " + groups + " groups, " + strategy, cost));
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("tuples", spread.toString());
          row.put("groups", (long) groups);
          row.put("strategy", strategy);
          Functions.put(row, cost, tuples);
          table.row(row);
          plot.point(strategy, groups, cost.nanos());
        });
  }
}
