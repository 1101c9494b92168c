package org.flowmon.udaf.group;

import org.apache.datasketches.thetacommon.BinomialBoundsN;

/**
 * How many groups a window has, where some of them are known: each group is kept by the hash of its
 * keys with the same probability, so those that are kept are of a binomial distribution.
 *
 * @param lower the true number is not below with {@link #PROBABILITY} both ways; −1: unknown
 * @param value the number that is kept, multiplied; −1: unknown
 * @param upper and not above; −1: unknown
 */
public record GroupEstimate(long lower, long value, long upper) {
  /** That the true number lies within the bounds. */
  public static final double PROBABILITY = 0.95;

  /** Where no group is kept that would tell. */
  public static final GroupEstimate UNKNOWN = new GroupEstimate(-1, -1, -1);

  private static final int STANDARD_DEVIATIONS = 2;

  /**
   * The estimate of a window's result.
   *
   * @param value all groups, or those that are kept multiplied; −1 where none is
   * @param level of the result: 0, all groups; else one in 2^level
   */
  public static GroupEstimate of(long value, int level) {
    if (value < 0 || level > GroupSample.LAST) {
      return UNKNOWN;
    }
    if (level == 0) {
      return new GroupEstimate(value, value, value);
    }
    long kept = value >> level;
    double rate = Math.scalb(1.0, -level);
    double lower = BinomialBoundsN.getLowerBound(kept, rate, STANDARD_DEVIATIONS, false);
    double upper = BinomialBoundsN.getUpperBound(kept, rate, STANDARD_DEVIATIONS, false);
    return new GroupEstimate(
        Math.min(value, (long) Math.floor(lower)), value, Math.max(value, (long) Math.ceil(upper)));
  }
}
