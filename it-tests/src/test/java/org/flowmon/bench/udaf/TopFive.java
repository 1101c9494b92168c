package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.function.UdafCall.Argument;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench udaf accuracy}: the places in which the five heaviest items of each group
 * are found (the paper's figure 11).
 */
@Command(
    name = "accuracy",
    mixinStandardHelpOptions = true,
    description =
        "Shares of the five heaviest items of each group that HEAVY_HITTERS finds at their place,"
            + " one off, further off, or not among its five; uniform and skewed tuples of 10, 120,"
            + " 1,436 and of any number of items, which are numbers one behind the other or any"
            + " addresses.")
final class TopFive implements Callable<Integer> {
  private static final int FIVE = 5;
  private static final int[] ITEMS = {10, 120, 1436, Tuples.ANY};

  /** A number of exact items that no group of the experiment reaches. */
  private static final int ALL_EXACT = 1 << 16;

  @Mixin private UdafOptions options;

  @Option(names = "--groups", defaultValue = "100", description = "Groups; default 100.")
  private int groups;

  /** Strategies by name; exact keeps all items. */
  private static Map<String, BoundUdaf> functions(ValueKind kind) {
    Map<String, BoundUdaf> all = new LinkedHashMap<>();
    all.put("exact", Functions.hitters(kind, "compress/adaptive", ALL_EXACT));
    for (String strategy : List.of("adaptive", "direct", "frequent")) {
      all.put(strategy, Functions.hitters(kind, "compress/" + strategy, Functions.EXACT));
    }
    return all;
  }

  /** The number of items found in each place. */
  private static final class Places {
    private long exact;
    private long offByOne;
    private long furtherOff;
    private long missed;

    void add(int trueRank, int foundRank) {
      int off = Math.abs(trueRank - foundRank);
      if (foundRank < 0) {
        missed++;
      } else if (off == 0) {
        exact++;
      } else if (off == 1) {
        offByOne++;
      } else {
        furtherOff++;
      }
    }

    void put(Map<String, Object> row) {
      double all = exact + offByOne + furtherOff + missed;
      row.put("items_asked", (long) all);
      row.put("exact", exact / all);
      row.put("off_by_one", offByOne / all);
      row.put("further_off", furtherOff / all);
      row.put("missed", missed / all);
    }
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    BenchResult table =
        new BenchResult("udaf accuracy: the five heaviest items")
            .explain("different", "different items that a group may have; any: as many as come")
            .explain("items_asked", "five of each group, of those that have as many")
            .explain("exact", "share of them that TOP gives at their place")
            .explain("off_by_one", "one place off")
            .explain("further_off", "among the five, further off")
            .explain("missed", "not among the five");
    List<SvgPlot> plots = new ArrayList<>();
    for (ValueKind kind : List.of(ValueKind.LONG, ValueKind.ADDRESS)) {
      for (Spread spread : Spread.values()) {
        plots.add(measure(kind, spread, table));
      }
    }
    options.show("accuracy", List.of(table), plots.toArray(new SvgPlot[0]));
    return 0;
  }

  private SvgPlot measure(ValueKind kind, Spread spread, BenchResult table) {
    String name = kind == ValueKind.LONG ? "numbers" : "addresses";
    SvgPlot plot =
        new SvgPlot(spread + " " + name, "items of a group", true, "share missed", false);
    for (int items : ITEMS) {
      Tuples tuples = Tuples.ofItems(kind, options.rows(), groups, items, spread, options.seed());
      List<List<Long>> heaviest = heaviest(tuples);
      functions(kind)
          .forEach(
              (strategy, function) -> {
                List<SuperState> states = Halves.of(function, tuples).measure(1).states();
                Places places = places(top(function, FIVE), states, heaviest);
                Map<String, Object> row = new LinkedHashMap<>();
                row.put("items", name);
                row.put("tuples", spread.toString());
                row.put("different", items == Tuples.ANY ? "any" : String.valueOf(items));
                row.put("strategy", strategy);
                places.put(row);
                options.progress(row);
                table.row(row);
                if (items != Tuples.ANY) {
                  plot.point(strategy, items, (double) row.get("missed"));
                }
              });
    }
    return plot;
  }

  static BoundExtractor top(BoundUdaf function, int count) {
    return Functions.all()
        .bindExtractor(function, "TOP", List.of(Argument.of(Value.ofLong(count))));
  }

  private static Places places(
      BoundExtractor top, List<SuperState> states, List<List<Long>> heaviest) {
    Places places = new Places();
    for (int g = 0; g < states.size(); g++) {
      if (states.get(g) == null) {
        continue;
      }
      List<Long> found = new ArrayList<>();
      ((Items) top.extract(states.get(g)))
          .items()
          .forEach(item -> found.add(item.key().get(0).low()));
      List<Long> expected = heaviest.get(g);
      for (int rank = 0; rank < expected.size(); rank++) {
        places.add(rank, found.indexOf(expected.get(rank)));
      }
    }
    return places;
  }

  /** The low words of the five heaviest items of each group; equally heavy ones by item. */
  private static List<List<Long>> heaviest(Tuples tuples) {
    List<Map<Long, Long>> weights = new ArrayList<>();
    for (int g = 0; g < tuples.groups; g++) {
      weights.add(new HashMap<>());
    }
    for (int b = 0; b < tuples.groupOf.length; b++) {
      long[] items = tuples.arguments[b][0].values();
      long[] by = tuples.arguments[b][1].values();
      for (int i = 0; i < Vector.CAPACITY; i++) {
        weights.get(tuples.groupOf[b][i]).merge(items[i], by[i], Long::sum);
      }
    }
    List<List<Long>> heaviest = new ArrayList<>();
    for (Map<Long, Long> group : weights) {
      heaviest.add(
          group.entrySet().stream()
              .sorted(
                  Map.Entry.<Long, Long>comparingByValue()
                      .reversed()
                      .thenComparing((a, b) -> IpAddress.compare(0, a.getKey(), 0, b.getKey())))
              .limit(FIVE)
              .map(Map.Entry::getKey)
              .toList());
    }
    return heaviest;
  }
}
