package org.flowmon.udaf.group;

import org.apache.datasketches.thetacommon.BinomialBoundsN;

/**
 * The estimated number of a window's groups, the kept ones scaled up, with bounds; −1: unknown.
 * Groups are sampled by the hash of their keys with equal probability: the number of kept ones is
 * binomial.
 */
public record GroupEstimate(long lower, long value, long upper) {
  /** The probability that the true number lies within the bounds. */
  public static final double PROBABILITY = 0.95;

  public static final GroupEstimate UNKNOWN = new GroupEstimate(-1, -1, -1);

  private static final int STANDARD_DEVIATIONS = 2;

  /** Of {@code value} groups, kept ones scaled up, or −1; level 0 has all, else one in 2^level. */
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
