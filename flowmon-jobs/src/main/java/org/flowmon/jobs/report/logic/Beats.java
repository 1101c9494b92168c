package org.flowmon.jobs.report.logic;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Arrays;

/**
 * The beats of a pair and the intervals between them. Successive times within a burst are one beat,
 * at the first of them.
 *
 * @param count of beats
 * @param first time of the first beat, in microseconds
 * @param last time of the last beat
 * @param period the median of the intervals, in microseconds: the lower of two in the middle
 * @param shortest interval
 * @param longest interval
 * @param regular number of intervals within the jitter of the median
 */
record Beats(
    int count, long first, long last, long period, long shortest, long longest, int regular) {

  /**
   * The conditions of regular beats.
   *
   * @param beats the least number of beats
   * @param jitter share of the median by which an interval may differ from it
   * @param share of the intervals that must not differ by more
   * @param span share of the window that must lie between the first beat and the last
   * @param burstMicros times no further apart than this are one beat
   */
  record Rule(int beats, BigDecimal jitter, BigDecimal share, BigDecimal span, long burstMicros) {}

  /**
   * Returns the beats of some times, null if there are fewer than the rule asks for.
   *
   * @param times in microseconds, in any order; sorted here
   * @param n number of times
   */
  static Beats of(long[] times, int n, Rule rule) {
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

  /** Returns the share of the intervals within the jitter of the median, 0 … 1. */
  double regularity() {
    return (double) regular / (count - 1);
  }

  /**
   * Whether the beats are regular, by exact comparison.
   *
   * @param window its length in microseconds
   */
  boolean isRegular(Rule rule, long window) {
    return count >= rule.beats()
        && new BigDecimal(regular).compareTo(rule.share().multiply(new BigDecimal(count - 1))) >= 0
        && new BigDecimal(last - first).compareTo(rule.span().multiply(new BigDecimal(window)))
            >= 0;
  }
}
