package org.flowmon.bench.udaf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Point;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.udaf.lowlevel.LowLevelQuery;

/**
 * The pause at the end of a window, if its groups leave the table at once or a few after each batch
 * (the paper's table 2).
 */
public final class DrainPauses implements Experiment {
  private static final int WINDOWS = 5;
  private static final int WARM_UPS = 2;
  private static final int LAZY_SLOTS = 1024;
  private static final double NANOS_PER_MILLI = 1e6;

  @Override
  public void run(Run run) {
    int rows = run.integer("rows");
    for (Point at : run.points()) {
      int groups = at.integer("groups");
      GroupedFlows tuples =
          new GroupedFlows(rows, rows / WINDOWS, groups, Spread.UNIFORM, run.number("seed"));
      int slots = Integer.highestOneBit(4 * groups - 1);
      int queries = at.integer("queries");
      double[] lazy = quietest(tuples, queries, slots, LAZY_SLOTS, run.integer("rounds"));
      double[] eager = quietest(tuples, queries, slots, slots, run.integer("rounds"));
      double nanosPerTuple =
          Arrays.stream(lazy).average().orElseThrow()
              / GroupedFlows.BATCH_ROWS
              / run.decimal("load");
      add(run, at, "eager", eager, nanosPerTuple);
      add(run, at, "lazy", lazy, nanosPerTuple);
    }
  }

  private static void add(Run run, Point at, String drain, double[] nanos, double nanosPerTuple) {
    double[] sorted = nanos.clone();
    Arrays.sort(sorted);
    double mean = Arrays.stream(nanos).sum() / nanos.length;
    run.add(
        at.row()
            .put("drain", drain)
            .put("median_ms", sorted[sorted.length / 2] / NANOS_PER_MILLI)
            .put("longest_ms", sorted[sorted.length - 1] / NANOS_PER_MILLI)
            .put("ns_per_tuple", mean / GroupedFlows.BATCH_ROWS)
            .put("tuples_per_second", 1e9 / nanosPerTuple)
            .put("lost_share", lost(nanos, nanosPerTuple, run.number("buffer"))));
  }

  /**
   * The share of tuples that find the buffer full.
   *
   * @param nanos the time of each batch
   * @param nanosPerTuple between two arrivals
   * @param room tuples that may wait
   */
  static double lost(double[] nanos, double nanosPerTuple, long room) {
    double waiting = 0;
    double lost = 0;
    double came = 0;
    for (double took : nanos) {
      double more = took / nanosPerTuple;
      came += more;
      waiting += more;
      lost += Math.max(0, waiting - room);
      waiting = Math.max(0, Math.min((double) room, waiting) - GroupedFlows.BATCH_ROWS);
    }
    return lost / came;
  }

  /** Nanoseconds of each batch, the least of all rounds, which excludes other processes. */
  private static double[] quietest(
      GroupedFlows tuples, int queries, int slots, int drained, int rounds) {
    double[] least = new double[tuples.batches.size()];
    Arrays.fill(least, Double.POSITIVE_INFINITY);
    for (int round = -WARM_UPS; round < rounds; round++) {
      double[] nanos = once(tuples, queries, slots, drained);
      for (int b = 0; b < least.length && round >= 0; b++) {
        least[b] = Math.min(least[b], nanos[b]);
      }
    }
    // In the first window the tables' memory is new.
    return Arrays.copyOfRange(least, least.length / WINDOWS, least.length);
  }

  private static double[] once(GroupedFlows tuples, int count, int slots, int drained) {
    List<LowLevelQuery> queries = new ArrayList<>();
    for (int q = 0; q < count; q++) {
      queries.add(GroupedFlows.query(GroupedFlows.COUNT_MIN_MAX, slots));
    }
    double[] nanos = new double[tuples.batches.size()];
    for (int b = 0; b < nanos.length; b++) {
      long start = Samples.cpuNanos();
      for (LowLevelQuery query : queries) {
        query.closePanesUpTo(tuples.watermark(b));
        query.drainSome(drained);
        query.process(tuples.batches.get(b));
      }
      nanos[b] = Samples.cpuNanos() - start;
    }
    return nanos;
  }
}
