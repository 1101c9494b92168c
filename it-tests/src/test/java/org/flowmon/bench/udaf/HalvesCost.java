package org.flowmon.bench.udaf;

import java.util.Objects;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Point;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.udaf.function.BoundExtractor;
import org.flowmon.udaf.function.BoundUdaf;

/**
 * The cost of a tuple in both halves of a function, at each point of the axes (the paper's figures
 * 4 to 6 and 8 to 10).
 */
public final class HalvesCost implements Experiment {
  /** Begins the name of a strategy whose low half hands on each tuple by itself. */
  private static final String HIGH_ONLY = "high only: ";

  @Override
  public void run(Run run) {
    Epochs epochs = new Epochs(run.integer("rows"), run.number("seed"));
    for (Point at : run.points()) {
      int groups = at.integer("groups");
      BoundUdaf function = function(at);
      boolean isHighOnly = at.text("strategy").startsWith(HIGH_ONLY);
      if (!isHighOnly && !Halves.fit(function, groups)) {
        run.progress("%s does not fit the heap", at.row().values());
        continue;
      }
      Tuples tuples = epochs.of(at, groups, at.text("values"));
      Halves halves = isHighOnly ? Halves.highOnly(function, tuples) : Halves.of(function, tuples);
      Halves.Cost cost = halves.measure(run.integer("rounds"));
      Row row =
          at.row()
              .put("low_ns", cost.lowNanos())
              .put("high_ns", cost.highNanos())
              .put("total_ns", cost.nanos())
              .put("sub_states", cost.subStates())
              .put("bytes_sent_per_tuple", cost.bytes() / (double) tuples.rows)
              .put("state_bytes_per_group", cost.stateBytes() / (double) groups);
      if (at.text("space").equals("yes")) {
        row.put("state_bytes_per_tuple", cost.stateBytes() / (double) tuples.rows)
            .put("exact_share", exactShare(function, cost));
      }
      run.add(row);
    }
  }

  private static BoundUdaf function(Point at) {
    // The last word says how: of "QUANTILES lite", "HEAVY_HITTERS high only: direct", "null".
    String call = (at.text("function") + " " + at.text("strategy")).strip();
    String how = call.substring(call.lastIndexOf(' ') + 1);
    boolean ofItems = Epochs.isOfItems(at);
    if (how.equals(SumBaseline.NAME)) {
      return new SumBaseline(ofItems ? 1 : 0);
    }
    if (!ofItems) {
      return Functions.quantiles(how, at.integer("words"));
    }
    String halves = how.contains("/") ? how : "buffer/" + how;
    return Functions.hitters(Epochs.items(at), halves, at.integer("exact"));
  }

  /** The share of the groups whose state is still exact. */
  private static double exactShare(BoundUdaf function, Halves.Cost cost) {
    BoundExtractor list = Functions.top(function, 1);
    long states = cost.states().stream().filter(Objects::nonNull).count();
    long exact =
        cost.states().stream()
            .filter(state -> state != null && list.bound(state).isExact())
            .count();
    return exact / (double) states;
  }
}
