package org.flowmon.bench.udaf;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import org.flowmon.bench.harness.Samples;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.udaf.lowlevel.LowLevelQuery;
import org.flowmon.udaf.lowlevel.LowLevelTuning;
import org.flowmon.udaf.partial.PartialGroups;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.tuning.TableSize;
import org.flowmon.udaf.window.WindowTables;

/**
 * A query over flows through both levels on one thread, as in the job: batches, the low level's
 * table, messages, the tables of windows. Each level is timed separately, window by window; the
 * answer at a window's end is not timed.
 */
final class BothLevels {
  static final int WINDOWS = 12;

  /** The number of last windows, after the tuning has settled. */
  private static final int SETTLED = 4;

  private static final int DRAIN_SLOTS = 1024;

  private final GroupedFlows flows;
  private final FlowQuery query;
  private final TableSize size;
  private final List<Round> rounds = new ArrayList<>();
  private LowLevelTuning tuning;

  /**
   * CPU nanoseconds per flow in one run of all windows.
   *
   * @param low the low level in the last windows
   * @param high the high level in the last windows
   * @param whole both levels in all windows
   */
  record Round(double low, double high, double whole) {
    double settled() {
      return low + high;
    }
  }

  /**
   * Creates a query that has not run.
   *
   * @param flows of {@link #WINDOWS} windows
   * @param query whose second column counts the flows of a group
   */
  BothLevels(GroupedFlows flows, FlowQuery query, TableSize size) {
    this.flows = flows;
    this.query = query;
    this.size = size;
  }

  /**
   * Runs all windows.
   *
   * @param counts whether the run is kept as a round
   */
  void run(boolean counts) {
    List<byte[]> sent = new ArrayList<>();
    LowLevelQuery low = GroupedFlows.query(query, size, (keyGroup, bytes) -> sent.add(bytes));
    Map<Integer, WindowTables> tables = new HashMap<>();
    double[] lowTook = new double[WINDOWS];
    double[] highTook = new double[WINDOWS];
    long[] merged = new long[1];
    int perWindow = flows.batches.size() / WINDOWS;
    for (int b = 0; b < flows.batches.size(); b++) {
      int window = Math.min(WINDOWS - 1, b / perWindow);
      long start = Samples.cpuNanos();
      low.closePanesUpTo(flows.watermark(b));
      var unused = low.drainSome(DRAIN_SLOTS);
      low.process(flows.batches.get(b));
      boolean isLast =
          b + 1 == flows.batches.size() || ((b + 1) % perWindow == 0 && window < WINDOWS - 1);
      if (isLast) {
        low.drainAll();
      }
      long between = Samples.cpuNanos();
      for (byte[] bytes : sent) {
        PartialGroups groups = PartialGroups.open(bytes);
        var unusedToo =
            tables
                .computeIfAbsent(
                    groups.keyGroup(), k -> new WindowTables(1, query, GroupedFlows.window()))
                .merge(groups);
      }
      sent.clear();
      lowTook[window] += between - start;
      highTook[window] += Samples.cpuNanos() - between;
      if (isLast) {
        long end = flows.watermark(b + 1) + 1;
        close(tables, end, merged);
      }
    }
    close(tables, Long.MAX_VALUE / 4, merged);
    long rows = (long) flows.batches.size() * GroupedFlows.BATCH_ROWS;
    if (merged[0] != rows) {
      throw new CommandException(
          query + ": expected " + rows + " flows at the high level, found " + merged[0]);
    }
    if (counts) {
      double perFlow = WINDOWS / (double) rows;
      int last = WINDOWS - SETTLED;
      double whole = mean(lowTook, 0) + mean(highTook, 0);
      rounds.add(
          new Round(
              mean(lowTook, last) * perFlow, mean(highTook, last) * perFlow, whole * perFlow));
    }
    tuning = low.tuning();
  }

  private static void close(Map<Integer, WindowTables> tables, long end, long[] merged) {
    for (WindowTables table : tables.values()) {
      table.closeUpTo(end, part -> merged[0] += part.totals().longValue(0, 0));
    }
  }

  private static double mean(double[] byWindow, int from) {
    return Arrays.stream(byWindow, from, WINDOWS).average().orElseThrow();
  }

  /** The counted runs in order. */
  List<Round> rounds() {
    return rounds;
  }

  /** Medians of both levels in the last windows: {@code 85 + 3}. */
  String text() {
    return String.format(Locale.ROOT, "%.0f + %.0f", median(Round::low), median(Round::high));
  }

  /** The median of all rounds. */
  double median(ToDoubleFunction<Round> of) {
    return Samples.of(rounds.stream().mapToDouble(of).toArray()).median();
  }

  /** The final tuning of its table. */
  String chosen() {
    return tuning.lowHalves().isEmpty()
        ? tuning.slots() + " slots"
        : tuning.lowHalves() + ", " + tuning.slots() + " slots";
  }

  LowLevelTuning tuning() {
    return tuning;
  }
}
