package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.udaf.value.ValueKind;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code flowmon bench udaf values}: the effect of the number of distinct values of a group (the
 * paper's 10, 120 and 1436).
 */
@Command(
    name = "values",
    mixinStandardHelpOptions = true,
    description =
        "Nanoseconds of CPU for a tuple at both levels where groups have 10, 120 or 1,436 different"
            + " values or items, uniform tuples, 100 and 10,000 groups.")
final class ValueCounts implements Callable<Integer> {
  private static final int[] GROUPS = {100, 10_000};
  private static final int[] VALUES = {10, 120, 1436};
  private static final List<String> HITTERS =
      List.of("buffer/direct", "hash/adaptive", "compress/direct", "compress/adaptive");

  @Mixin private UdafOptions options;

  @Override
  public Integer call() throws IOException {
    options.check();
    BenchResult table = new BenchResult("udaf values: least of rounds");
    List<SvgPlot> plots = new ArrayList<>();
    for (int groups : options.groups(GROUPS)) {
      SvgPlot plot =
          new SvgPlot(groups + " groups", "different values", true, "ns per tuple", true);
      for (int values : VALUES) {
        Tuples numbers =
            Tuples.ofNumbers(options.rows(), groups, values, Spread.UNIFORM, options.seed());
        add(table, plot, "null", Halves.of(new SumBaseline(0), numbers), numbers, values);
        for (String strategy : Functions.QUANTILES) {
          Halves halves = Halves.of(Functions.quantiles(strategy), numbers);
          add(table, plot, "QUANTILES " + strategy, halves, numbers, values);
        }
        Tuples items =
            Tuples.ofItems(
                ValueKind.ADDRESS, options.rows(), groups, values, Spread.UNIFORM, options.seed());
        for (String strategy : HITTERS) {
          Halves halves = Halves.of(Functions.hitters(strategy), items);
          add(table, plot, "HEAVY_HITTERS " + strategy, halves, items, values);
        }
      }
      plots.add(plot);
    }
    options.show("values", List.of(table), plots.toArray(new SvgPlot[0]));
    return 0;
  }

  private void add(
      BenchResult table, SvgPlot plot, String function, Halves halves, Tuples tuples, int values) {
    Halves.Cost cost = halves.measure(options.rounds());
    String what = tuples.groups + " groups, " + values + " values, " + function;
    options.progress("%s", Functions.text(what, cost));
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("groups", (long) tuples.groups);
    row.put("values", (long) values);
    row.put("function", function);
    Functions.put(row, cost, tuples);
    table.row(row);
    plot.point(function, values, cost.nanos());
  }
}
