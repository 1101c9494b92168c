package org.flowmon.jobs.report.logic;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * A pair's beats and the intervals between. Successive times within a burst are one beat, at the
 * first of them. Times are in microseconds.
 *
 * @param period the median of the intervals: the lower of two in the middle
 * @param regular number of intervals within the jitter of the median
 */
record Beats(
    int count, long first, long last, long period, long shortest, long longest, int regular) {

  /** The parameters of {@link BeaconsLogic}; times within {@code burstMicros} are one beat. */
  record Rule(int beats, BigDecimal jitter, BigDecimal share, BigDecimal span, long burstMicros) {}

  /** Null if {@code n} µs times, in any order (sorted here), have too few for the rule. */
  static @Nullable Beats of(long[] times, int n, Rule rule) {
    Arrays.sort(times, 0, n);
    long[] intervals = new long[n];
    int beats = 0;
    long beat = 0;
    for (int i = 0; i < n; i++) {
      if (i > 0 && times[i] - times[i - 1] <= rule.burstMicros()) {
        continue;
      }
      if (beats > 0) {
        intervals[beats - 1] = times[i] - beat;
      }
      beat = times[i];
      beats++;
    }
    if (beats < Math.max(2, rule.beats())) {
      return null;
    }
    int count = beats - 1;
    Arrays.sort(intervals, 0, count);
    long median = intervals[(count - 1) / 2];
    BigDecimal exact = new BigDecimal(median);
    BigDecimal off = exact.multiply(rule.jitter());
    long from = exact.subtract(off).setScale(0, RoundingMode.CEILING).longValueExact();
    long to = exact.add(off).setScale(0, RoundingMode.FLOOR).longValueExact();
    int regular = 0;
    for (int i = 0; i < count; i++) {
      if (intervals[i] >= from && intervals[i] <= to) {
        regular++;
      }
    }
    return new Beats(beats, times[0], beat, median, intervals[0], intervals[count - 1], regular);
  }

  /** The share of intervals within the jitter, 0 … 1. */
  double regularity() {
    return (double) regular / (count - 1);
  }

  /** By exact comparison; the window is its length in microseconds. */
  boolean isRegular(Rule rule, long window) {
    return count >= rule.beats()
        && new BigDecimal(regular).compareTo(rule.share().multiply(new BigDecimal(count - 1))) >= 0
        && new BigDecimal(last - first).compareTo(rule.span().multiply(new BigDecimal(window)))
            >= 0;
  }
}
