package org.flowmon.bench.udaf;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench udaf drain}: the pause at the end of a window, if its groups leave the table
 * at once or a few after each batch (the paper's table 2).
 */
@Command(
    name = "drain",
    mixinStandardHelpOptions = true,
    description = {
      "The longest time that a batch of 1,000 tuples takes on the low level, window's ends"
          + " included, where all groups of a window leave the table at once (eager) or 1,024 slots"
          + " are looked at after each batch (lazy), which is what the job does.",
      "lost_share: of tuples that come evenly at a share of what the low level can take, those that"
          + " find a buffer full, reckoned from the times of all batches."
    })
final class DrainPauses implements Callable<Integer> {
  /** Groups and queries, as in the paper. */
  private static final int[][] CASES = {{50_000, 2}, {25_000, 3}, {12_000, 5}};

  private static final int QUICK = 50;
  private static final int WINDOWS = 5;
  private static final int LAZY_SLOTS = 1024;
  private static final double NANOS_PER_MILLI = 1e6;

  @Mixin private UdafOptions options;

  @Option(
      names = "--load",
      defaultValue = "0.5",
      description =
          "Share of the lazy drain's rate at which tuples come; default ${DEFAULT-VALUE}.")
  private double load;

  @Option(
      names = "--buffer",
      defaultValue = "10000",
      description = "Tuples that may wait; default ${DEFAULT-VALUE}.")
  private long buffer;

  @Override
  public Integer call() throws IOException {
    options.check();
    if (!(load > 0 && load < 1) || buffer < GroupedFlows.BATCH_ROWS) {
      throw new UsageException(
          "--load is above 0 and below 1, --buffer at least " + GroupedFlows.BATCH_ROWS);
    }
    BenchResult table = new BenchResult("udaf drain: the quietest of " + options.rounds());
    SvgPlot plot = new SvgPlot("Longest batch", "groups", true, "ms", true);
    for (int[] one : CASES) {
      int groups = options.quick() ? one[0] / QUICK : one[0];
      GroupedFlows tuples =
          new GroupedFlows(
              options.rows(), options.rows() / WINDOWS, groups, Spread.UNIFORM, options.seed());
      int slots = Integer.highestOneBit(4 * groups - 1);
      double[] lazy = quietest(tuples, one[1], slots, LAZY_SLOTS);
      double[] eager = quietest(tuples, one[1], slots, slots);
      double nanosPerTuple = Arrays.stream(lazy).average().orElseThrow();
      nanosPerTuple = nanosPerTuple / GroupedFlows.BATCH_ROWS / load;
      for (boolean isLazy : new boolean[] {false, true}) {
        String policy = isLazy ? "lazy" : "eager";
        Map<String, Object> row = row(isLazy ? lazy : eager, nanosPerTuple);
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("groups", (long) groups);
        all.put("queries", (long) one[1]);
        all.put("drain", policy);
        all.putAll(row);
        options.progress(all);
        table.row(all);
        plot.point(policy, groups, (double) row.get("longest_ms"));
      }
    }
    options.show("drain", List.of(table), plot);
    return 0;
  }

  private Map<String, Object> row(double[] nanos, double nanosPerTuple) {
    double[] sorted = nanos.clone();
    Arrays.sort(sorted);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("median_ms", sorted[sorted.length / 2] / NANOS_PER_MILLI);
    row.put("longest_ms", sorted[sorted.length - 1] / NANOS_PER_MILLI);
    row.put("ns_per_tuple", Arrays.stream(nanos).sum() / nanos.length / GroupedFlows.BATCH_ROWS);
    row.put("tuples_per_second", 1e9 / nanosPerTuple);
    row.put("lost_share", lost(nanos, nanosPerTuple, buffer));
    return row;
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
  private double[] quietest(GroupedFlows tuples, int queries, int slots, int drained) {
    double[] least = new double[tuples.batches.size()];
    Arrays.fill(least, Double.POSITIVE_INFINITY);
    for (int round = -2; round < options.rounds(); round++) {
      double[] nanos = run(tuples, queries, slots, drained);
      for (int b = 0; b < least.length && round >= 0; b++) {
        least[b] = Math.min(least[b], nanos[b]);
      }
    }
    // In the first window the tables' memory is new.
    return Arrays.copyOfRange(least, least.length / WINDOWS, least.length);
  }

  private static double[] run(GroupedFlows tuples, int count, int slots, int drained) {
    List<LowLevelQuery> queries = new ArrayList<>();
    IntStream.range(0, count)
        .forEach(q -> queries.add(GroupedFlows.query(GroupedFlows.COUNT_MIN_MAX, slots)));
    double[] nanos = new double[tuples.batches.size()];
    for (int b = 0; b < nanos.length; b++) {
      long start = UdafOptions.cpuNanos();
      for (LowLevelQuery query : queries) {
        query.closePanesUpTo(tuples.watermark(b));
        query.drainSome(drained);
        query.process(tuples.batches.get(b));
      }
      nanos[b] = UdafOptions.cpuNanos() - start;
    }
    return nanos;
  }
}
