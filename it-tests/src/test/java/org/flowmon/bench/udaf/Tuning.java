package org.flowmon.bench.udaf;

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
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Point;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.bench.udaf.BothLevels.Round;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.tuning.TableSize;

/** The low level's own choices beside all fixed settings. */
public final class Tuning implements Experiment {
  private static final int MEMORY = 16_384;
  private static final String AUTO = "auto";

  @Override
  public void run(Run run) {
    for (Point at : run.points()) {
      String name = name(at);
      if (name.contains(run.text("only"))) {
        Map<String, BothLevels> choices = choices(run, at);
        measure(run.integer("rounds"), choices.values());
        run.add(row(name, choices));
      }
    }
  }

  private static String name(Point at) {
    int values = at.integer("values");
    return String.format(
            "%s, %s, %,d groups", at.text("function"), at.text("tuples"), at.integer("groups"))
        + (values == 0 ? "" : String.format(", %,d values", values));
  }

  /** The fixed choices of a point and, last, the automatic one. */
  private static Map<String, BothLevels> choices(Run run, Point at) {
    String function = at.text("function");
    String query = run.textsOf("queries").get(function);
    int perWindow = run.integer("rows") / 2;
    GroupedFlows flows =
        new GroupedFlows(
            BothLevels.WINDOWS * perWindow,
            perWindow,
            at.integer("groups"),
            at.integer("values"),
            Spread.of(at.text("tuples")),
            run.number("seed"));
    Map<String, BothLevels> all = new LinkedHashMap<>();
    int most = MEMORY;
    for (var choice : run.parameter("choices").get(function)) {
      if (choice.isNumber()) {
        most = choice.asInt();
        all.put(choice.asText() + " slots", levels(flows, query, TableSize.of(most)));
      } else {
        all.put(
            choice.asText(),
            levels(flows, query.replace("{low}", choice.asText()), TableSize.of(MEMORY)));
      }
    }
    all.put(AUTO, levels(flows, query.replace("{low}", AUTO), TableSize.upTo(most)));
    return all;
  }

  private static BothLevels levels(GroupedFlows flows, String query, TableSize size) {
    return new BothLevels(flows, QueryParser.parse(query), size);
  }

  private static void measure(int rounds, Collection<BothLevels> all) {
    List<BothLevels> turns = new ArrayList<>(all);
    for (int round = -1; round < rounds; round++) {
      for (BothLevels levels : turns) { // in turns, so that other processes disturb all alike
        levels.run(round >= 0);
      }
      Collections.rotate(turns, 1);
    }
  }

  private static Row row(String name, Map<String, BothLevels> all) {
    BothLevels auto = all.remove(AUTO);
    BothLevels best = best(all.values(), Round::settled);
    double[] ratios = ratios(auto, best, Round::settled);
    double[] wholes = ratios(auto, best(all.values(), Round::whole), Round::whole);
    String fixed =
        all.entrySet().stream()
            .map(choice -> choice.getKey() + " " + choice.getValue().text())
            .collect(Collectors.joining(", "));
    return new Row()
        .put("case", name)
        .put("fixed", fixed)
        .put("auto", auto.text())
        .put("chosen", auto.chosen())
        .put("best_fixed_ns", best.median(Round::settled))
        .put("auto_ns", auto.median(Round::settled))
        .put("ratio", Samples.of(ratios).median())
        .put("spread", spread(ratios))
        .put("noise", spread(ratios(best, Round::settled)))
        .put("whole_ratio", Samples.of(wholes).median())
        .put("whole_spread", spread(wholes))
        .put("trials", auto.tuning().trials())
        .put("switches", auto.tuning().switches());
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
