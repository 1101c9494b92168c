package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/**
 * {@code flowmon bench udaf scratchpads}: the effect of the size of the low half's scratchpad (the
 * paper's figure 4).
 */
@Command(
    name = "scratchpads",
    mixinStandardHelpOptions = true,
    description =
        "Nanoseconds of CPU for a tuple at both levels for QUANTILES with scratchpads of 64, 256"
            + " and 1,024 words, uniform tuples of 1,436 different values, 100, 1,000 and 10,000"
            + " groups.")
final class ScratchpadSizes implements Callable<Integer> {
  private static final int[] GROUPS = {100, 1_000, 10_000};
  private static final int[] WORDS = {64, 256, 1024};
  private static final int VALUES = 1436;
  private static final List<String> STRATEGIES = List.of("lite", "medium", "heavy");

  @Mixin private UdafOptions options;

  @Override
  public Integer call() throws IOException {
    options.check();
    BenchResult table = new BenchResult("udaf scratchpads: QUANTILES, least of rounds");
    List<SvgPlot> plots = new ArrayList<>();
    for (int groups : options.groups(GROUPS)) {
      Tuples tuples =
          Tuples.ofNumbers(options.rows(), groups, VALUES, Spread.UNIFORM, options.seed());
      SvgPlot plot =
          new SvgPlot(groups + " groups", "words of a scratchpad", true, "ns per tuple", true);
      for (int words : WORDS) {
        Halves.Cost nothing = Halves.of(new SumBaseline(0), tuples).measure(options.rounds());
        add(table, plot, groups, words, SumBaseline.NAME, nothing, tuples);
        for (String strategy : STRATEGIES) {
          Halves.Cost cost =
              Halves.of(Functions.quantiles(strategy, words), tuples).measure(options.rounds());
          add(table, plot, groups, words, strategy, cost, tuples);
        }
      }
      plots.add(plot);
    }
    options.show("scratchpads", List.of(table), plots.toArray(new SvgPlot[0]));
    return 0;
  }

  private void add(
      BenchResult table,
      SvgPlot plot,
      int groups,
      int words,
      String strategy,
      Halves.Cost cost,
      Tuples tuples) {
    options.progress(
        "%s", Functions.text(groups + " groups, " + words + " words, " + strategy, cost));
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("groups", (long) groups);
    row.put("words", (long) words);
    row.put("strategy", strategy);
    Functions.put(row, cost, tuples);
    table.row(row);
    plot.point(strategy + ", low", words, cost.lowNanos());
    plot.point(strategy + ", both", words, cost.nanos());
  }
}
