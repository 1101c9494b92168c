package org.flowmon.udaf.group;

import org.apache.datasketches.thetacommon.BinomialBoundsN;

/**
 * The estimated number of a window's groups, with bounds of the true number; −1: unknown. Each
 * group is sampled by the hash of its keys with the same probability, so the number of kept groups
 * has a binomial distribution.
 */
public record GroupEstimate(long lower, long value, long upper) {
  /** The probability that the true number lies within the bounds. */
  public static final double PROBABILITY = 0.95;

  public static final GroupEstimate UNKNOWN = new GroupEstimate(-1, -1, -1);

  private static final int STANDARD_DEVIATIONS = 2;

  /**
   * For {@code level} 0 of all groups, else of one in 2^level; {@code value} is −1 if none is kept.
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
