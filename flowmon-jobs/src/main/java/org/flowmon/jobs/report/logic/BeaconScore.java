package org.flowmon.jobs.report.logic;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How regular the times of a pair are, as RITA (version 5) scores it: four parts of 0 … 1, and their
 * mean. Rounded to thousandths.
 *
 * @param intervals how symmetric and how near to their median the intervals are, in whole seconds
 * @param sizes the same of the bytes
 * @param histogram how equal 24 equal parts of the observed time are, or how well two heights fit
 * @param duration how much of the observed time lies between the first and the last, or how many
 *     parts without a pause
 * @param observed the time that it was scored over, in microseconds
 * @param period the median of the intervals, in microseconds: the lower of two in the middle
 */
record BeaconScore(
    double intervals,
    double sizes,
    double histogram,
    double duration,
    int beats,
    long first,
    long last,
    long observed,
    long period) {
  private static final int BINS = 24;
  private static final int LEAST_INTERVALS = 3;
  private static final int BINS_OF_TWO_HEIGHTS = 11;
  private static final int BINS_OF_A_DURATION = 6;
  private static final double IDEAL_RUN = 12;

  /** Quartiles nearer to one another say nothing of a skew. */
  private static final long LEAST_SPREAD = 10;

  private static final long SECOND = 1_000_000;

  /**
   * Null if fewer than three intervals are of a second or more.
   *
   * @param times in microseconds, sorted; the first {@code n}
   * @param bytes of each
   * @param from when the observed time began
   * @param to when it ended
   */
  static @Nullable BeaconScore of(long[] times, long[] bytes, int n, long from, long to) {
    long[] seconds = new long[Math.max(0, n - 1)];
    long[] exact = new long[seconds.length];
    int count = 0;
    for (int i = 1; i < n; i++) {
      long interval = Math.floorDiv(times[i], SECOND) - Math.floorDiv(times[i - 1], SECOND);
      if (interval > 0) {
        exact[count] = times[i] - times[i - 1];
        seconds[count++] = interval;
      }
    }
    if (count < LEAST_INTERVALS) {
      return null;
    }
    Arrays.sort(seconds, 0, count);
    Arrays.sort(exact, 0, count);
    long[] sorted = Arrays.copyOf(bytes, n);
    Arrays.sort(sorted);
    int[] bars = new int[BINS];
    for (int i = 0; i < n; i++) {
      long bin = to > from ? BINS * (times[i] - from) / (to - from) : 0;
      bars[(int) Math.max(0, Math.min(BINS - 1, bin))]++;
    }
    return new BeaconScore(
        regularity(seconds, count, 1),
        regularity(sorted, n, 0),
        Math.max(evenness(bars), twoHeights(bars)),
        duration(bars, (double) (times[n - 1] - times[0]) / Math.max(1, to - from)),
        n,
        times[0],
        times[n - 1],
        to - from,
        exact[(count - 1) / 2]);
  }

  double score() {
    long sum = 0; // of thousandths, so that half of one is rounded up
    for (double part : new double[] {intervals, sizes, histogram, duration}) {
      sum += Math.round(1000 * part);
    }
    return Math.round(sum / 4.0) / 1000.0;
  }

  private static double thousandths(double score) {
    return Math.round(Math.max(0, Math.min(1, score)) * 1000) / 1000.0;
  }

  /** Of sorted values; {@code ofNothing} is their nearness if they are below 1. */
  private static double regularity(long[] values, int n, double ofNothing) {
    double median = median(values, 0, n);
    double lower = median(values, 0, n / 2);
    double upper = median(values, n - n / 2, n);
    double skew = 0;
    if (upper - lower >= LEAST_SPREAD && median != lower && median != upper) {
      skew = (lower + upper - 2 * median) / (upper - lower);
    }
    double near = ofNothing;
    if (median >= 1) {
      double[] off = new double[n];
      for (int i = 0; i < n; i++) {
        off[i] = Math.abs(values[i] - median);
      }
      Arrays.sort(off);
      near = Math.max(0, (median - (off[(n - 1) / 2] + off[n / 2]) / 2) / median);
    }
    return thousandths((1 - Math.abs(skew) + near) / 2);
  }

  private static double median(long[] sorted, int from, int to) {
    int n = to - from;
    return n == 0 ? 0 : ((double) sorted[from + (n - 1) / 2] + sorted[from + n / 2]) / 2;
  }

  /** One less the coefficient of variation. */
  private static double evenness(int[] bars) {
    double mean = Arrays.stream(bars).average().orElse(0);
    double squares = 0;
    for (int bar : bars) {
      squares += (bar - mean) * (bar - mean);
    }
    return thousandths(1 - Math.sqrt(squares / bars.length) / mean);
  }

  private static int used(int[] bars) {
    return (int) Arrays.stream(bars).filter(bar -> bar > 0).count();
  }

  /** The share of bars that have one of the two commonest heights; one bar may differ. */
  private static double twoHeights(int[] bars) {
    int used = used(bars);
    if (used < BINS_OF_TWO_HEIGHTS) {
      return 0;
    }
    int highest = Arrays.stream(bars).max().orElse(0);
    int step = (highest + 19) / 20; // heights within 5% of the highest are one
    Map<Integer, Integer> heights = new HashMap<>();
    for (int bar : bars) {
      if (bar > 0) {
        heights.merge(bar / step, 1, Integer::sum);
      }
    }
    int[] counts = heights.values().stream().mapToInt(Integer::intValue).sorted().toArray();
    int last = counts.length - 1;
    double common = counts[last] + (last > 0 ? counts[last - 1] : 0);
    return thousandths(common / (used - 1));
  }

  private static double duration(int[] bars, double span) {
    if (used(bars) < BINS_OF_A_DURATION) {
      return 0;
    }
    int longest = 0;
    int run = 0;
    for (int i = 0; i < 2 * bars.length; i++) { // from the end on to the beginning
      run = bars[i % bars.length] > 0 ? run + 1 : 0;
      longest = Math.max(longest, Math.min(run, bars.length));
    }
    return thousandths(Math.max(span, longest / IDEAL_RUN));
  }
}
