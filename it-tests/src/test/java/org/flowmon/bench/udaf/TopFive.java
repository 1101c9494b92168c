package org.flowmon.bench.udaf;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Point;
import org.flowmon.bench.harness.Run;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;
import org.flowmon.udaf.function.Items;
import org.flowmon.udaf.state.SuperState;
import org.flowmon.udaf.vector.Vector;

/** The places in which the five heaviest items of each group are found (the paper's figure 11). */
public final class TopFive implements Experiment {
  private static final int FIVE = 5;
  private static final int SOME_EXACT = 64;

  /** A number of exact items that no group of the experiment reaches. */
  private static final int ALL_EXACT = 1 << 16;

  @Override
  public void run(Run run) {
    Epochs epochs = new Epochs(run.integer("rows"), run.number("seed"));
    Tuples before = null;
    List<List<Long>> heaviest = List.of();
    for (Point at : run.points()) {
      Tuples tuples = epochs.of(at, run.integer("groups"), at.text("different"));
      if (tuples != before) {
        heaviest = heaviest(tuples);
        before = tuples;
      }
      String strategy = at.text("strategy");
      BoundUdaf function =
          strategy.equals("exact")
              ? Functions.hitters(Epochs.items(at), "compress/adaptive", ALL_EXACT)
              : Functions.hitters(Epochs.items(at), "compress/" + strategy, SOME_EXACT);
      List<SuperState> states = Halves.of(function, tuples).measure(1).states();
      long[] off = distances(Functions.top(function, FIVE), states, heaviest);
      double all = off[0] + off[1] + off[2] + off[3];
      run.add(
          at.row()
              .put("items_asked", (long) all)
              .put("exact", off[0] / all)
              .put("off_by_one", off[1] / all)
              .put("further_off", off[2] / all)
              .put("missed", off[3] / all));
    }
  }

  /** How many items are at their place, one off, further off, not among the five. */
  private static long[] distances(
      BoundExtractor top, List<SuperState> states, List<List<Long>> heaviest) {
    long[] off = new long[4];
    for (int g = 0; g < states.size(); g++) {
      if (states.get(g) == null) {
        continue;
      }
      List<Long> found =
          ((Items) top.extract(states.get(g)))
              .items().stream().map(item -> item.key().get(0).low()).toList();
      List<Long> expected = heaviest.get(g);
      for (int rank = 0; rank < expected.size(); rank++) {
        int place = found.indexOf(expected.get(rank));
        off[place < 0 ? 3 : Math.min(2, Math.abs(rank - place))]++;
      }
    }
    return off;
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
    return weights.stream().map(TopFive::heaviest).toList();
  }

  private static List<Long> heaviest(Map<Long, Long> weights) {
    return weights.entrySet().stream()
        .sorted(
            Map.Entry.<Long, Long>comparingByValue()
                .reversed()
                .thenComparing((a, b) -> IpAddress.compare(0, a.getKey(), 0, b.getKey())))
        .limit(FIVE)
        .map(Map.Entry::getKey)
        .toList();
  }
}
