package org.flowmon.jobs.report.logic;

/** How far parts of the past were from all of it, which says how far a usual window may be. */
final class PastDistances {
  /** With fewer nobody knows how they differ. */
  private static final int LEAST_PARTS = 7;

  /** Parts that are as good as equal leave room for a little more. */
  private static final double LEAST_DEVIATION = 0.01;

  private final int parts;
  private final double mean;
  private final double limit;

  /**
   * @param distances in an order given by the data, each 0 … 1
   * @param factor how many standard deviations above the mean the limit is
   */
  PastDistances(double[] distances, double factor) {
    parts = distances.length;
    double sum = 0;
    for (double one : distances) {
      sum += one;
    }
    mean = parts == 0 ? 0 : sum / parts;
    double squares = 0;
    for (double one : distances) {
      squares += (one - mean) * (one - mean);
    }
    double deviation = parts < 2 ? 0 : Math.sqrt(squares / (parts - 1));
    limit = mean + factor * Math.max(deviation, LEAST_DEVIATION);
  }

  double mean() {
    return mean;
  }

  /** {@code factor} standard deviations above the mean. */
  double limit() {
    return limit;
  }

  /** Whether something could be beyond the limit. */
  boolean areEnough() {
    return parts >= LEAST_PARTS && limit < 1;
  }
}
