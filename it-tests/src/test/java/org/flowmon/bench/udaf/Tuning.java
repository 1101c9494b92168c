package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.bench.udaf.BothLevels.Round;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.tuning.TableSize;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code flowmon bench udaf tuning}: the low level's own choices beside all fixed settings. */
@Command(
    name = "tuning",
    mixinStandardHelpOptions = true,
    description = {
      "Nanoseconds of CPU for a flow at both levels, from a batch of flows to merged groups, with"
          + " each fixed low half of QUANTILES and HEAVY_HITTERS and each fixed number of slots,"
          + " and with what the low level chooses by itself: uniform and skewed flows, few and many"
          + " groups, few and many different values.",
      "Each round runs all of them in turns, on the same flows. ratio: what auto costs to what the"
          + " best fixed choice does in the same round, in the last third of the windows, when it"
          + " has chosen; whole_ratio: in all windows, the start and its trials included. Medians"
          + " of rounds; spread: the least and the largest, and of the best fixed choice to its own"
          + " median, which is the noise."
    })
final class Tuning implements Callable<Integer> {
  private static final int[] GROUPS = {100, 1_000, 10_000};
  private static final int[] TABLE_GROUPS = {100, 10_000, 40_000};
  private static final int[] VALUES = {10, 100_000};
  private static final int[] SLOTS = {1_024, 8_192, 65_536};
  private static final int MEMORY = 16_384;
  private static final String AUTO = "auto";

  @Mixin private UdafOptions options;

  @Option(
      names = "--only",
      paramLabel = "TEXT",
      description = "Only cases whose name has this text, for example 'QUANTILES'.")
  private String only = "";

  private final BenchResult table = new BenchResult("udaf tuning: ns of a flow, medians of rounds");
  private final SvgPlot plot =
      new SvgPlot("auto to the best fixed choice", "case", false, "ratio", false);
  private int cases;

  @Override
  public Integer call() throws IOException {
    options.check();
    for (Spread spread : Spread.values()) {
      for (int values : VALUES) {
        for (int groups : options.groups(GROUPS)) {
          measure("QUANTILES", List.of("lite", "medium", "heavy"), spread, groups, values);
          measure("HEAVY_HITTERS", List.of("buffer", "compress", "hash"), spread, groups, values);
        }
      }
      for (int groups : options.groups(TABLE_GROUPS)) {
        measureTables(spread, groups);
      }
    }
    options.show("tuning", List.of(table), plot);
    return 0;
  }

  private static String query(String function, String strategy) {
    String state =
        function.equals("QUANTILES")
            ? "QUANTILES(bytes, 0.01, '" + strategy + "')"
            : "HEAVY_HITTERS(dst_addr, bytes, 256, 2, '" + strategy + "/adaptive')";
    String answer = function.equals("QUANTILES") ? "COUNT(" + state + ")" : "TOTAL(" + state + ")";
    return "SELECT src_addr, COUNT(*) AS flows, "
        + answer
        + " AS whole FROM flows GROUP BY src_addr";
  }

  private void measure(
      String function, List<String> strategies, Spread spread, int groups, int values) {
    String name = String.format("%s, %s, %,d groups, %,d values", function, spread, groups, values);
    if (!name.contains(only)) {
      return;
    }
    GroupedFlows flows = flows(groups, values, spread);
    Map<String, BothLevels> all = new LinkedHashMap<>();
    for (String strategy : strategies) {
      all.put(strategy, levels(flows, query(function, strategy), TableSize.of(MEMORY)));
    }
    all.put(AUTO, levels(flows, query(function, AUTO), TableSize.upTo(MEMORY)));
    show(name, all);
  }

  private void measureTables(Spread spread, int groups) {
    String name = String.format("SUM, %s, %,d groups", spread, groups);
    if (!name.contains(only)) {
      return;
    }
    GroupedFlows flows = flows(groups, 0, spread);
    String query =
        "SELECT src_addr, COUNT(*) AS flows, SUM(bytes) AS b FROM flows GROUP BY src_addr";
    Map<String, BothLevels> all = new LinkedHashMap<>();
    for (int slots : SLOTS) {
      all.put(slots + " slots", levels(flows, query, TableSize.of(slots)));
    }
    all.put(AUTO, levels(flows, query, TableSize.upTo(SLOTS[SLOTS.length - 1])));
    show(name, all);
  }

  private GroupedFlows flows(int groups, int values, Spread spread) {
    int perWindow = options.rows() / 2;
    return new GroupedFlows(
        BothLevels.WINDOWS * perWindow, perWindow, groups, values, spread, options.seed());
  }

  private BothLevels levels(GroupedFlows flows, String query, TableSize size) {
    return new BothLevels(flows, QueryParser.parse(query), size);
  }

  private void show(String name, Map<String, BothLevels> all) {
    List<BothLevels> turns = new ArrayList<>(all.values());
    for (int round = -1; round < options.rounds(); round++) {
      for (BothLevels levels : turns) { // in turns, so that other processes disturb all alike
        levels.run(round >= 0);
      }
      Collections.rotate(turns, 1);
    }
    BothLevels auto = all.remove(AUTO);
    BothLevels best = best(all.values(), Round::settled);
    double[] ratios = ratios(auto, best, Round::settled);
    double[] wholes = ratios(auto, best(all.values(), Round::whole), Round::whole);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("case", name);
    row.put(
        "fixed",
        all.entrySet().stream()
            .map(choice -> choice.getKey() + " " + choice.getValue().text())
            .collect(Collectors.joining(", ")));
    row.put("auto", auto.text());
    row.put("chosen", auto.chosen());
    row.put("best_fixed_ns", best.median(Round::settled));
    row.put("auto_ns", auto.median(Round::settled));
    row.put("ratio", BothLevels.median(ratios));
    row.put("spread", spread(ratios));
    row.put("noise", spread(ratios(best, Round::settled)));
    row.put("whole_ratio", BothLevels.median(wholes));
    row.put("whole_spread", spread(wholes));
    row.put("trials", auto.tuning().trials());
    row.put("switches", auto.tuning().switches());
    table.row(row);
    options.progress(row);
    cases++;
    plot.point("settled", cases, BothLevels.median(ratios));
    plot.point("whole", cases, BothLevels.median(wholes));
  }

  /** The one with the least median. */
  private static BothLevels best(Collection<BothLevels> all, ToDoubleFunction<Round> cost) {
    return all.stream().min(Comparator.comparingDouble(one -> one.median(cost))).orElseThrow();
  }

  /** The ratio of two costs in each round. */
  private static double[] ratios(BothLevels of, BothLevels to, ToDoubleFunction<Round> cost) {
    double[] ratios = new double[of.rounds().size()];
    Arrays.setAll(
        ratios,
        round ->
            cost.applyAsDouble(of.rounds().get(round))
                / cost.applyAsDouble(to.rounds().get(round)));
    return ratios;
  }

  /** The ratio of the cost to its median in each round. */
  private static double[] ratios(BothLevels of, ToDoubleFunction<Round> cost) {
    double median = of.median(cost);
    return of.rounds().stream().mapToDouble(cost).map(nanos -> nanos / median).toArray();
  }

  private static String spread(double[] ratios) {
    DoubleSummaryStatistics all = Arrays.stream(ratios).summaryStatistics();
    return String.format(Locale.ROOT, "%.2f \u2026 %.2f", all.getMin(), all.getMax());
  }
}
