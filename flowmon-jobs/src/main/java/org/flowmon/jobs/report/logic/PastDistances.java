package org.flowmon.jobs.report.logic;

/** How far parts of the past were from all of it, which says how far a usual window may be. */
final class PastDistances {
  /** With fewer nobody knows how they differ. */
  private static final int LEAST_PARTS = 7;

  private final int parts;
  private final double mean;
  private final double deviation;
  private final double largest;

  /**
   * Distances in an order given by the data.
   *
   * @param least the least standard deviation: equal parts leave room for a little more
   */
  PastDistances(double[] distances, double least) {
    parts = distances.length;
    double sum = 0;
    double most = 0;
    for (double one : distances) {
      sum += one;
      most = Math.max(most, one);
    }
    largest = most;
    mean = parts == 0 ? 0 : sum / parts;
    double squares = 0;
    for (double one : distances) {
      squares += (one - mean) * (one - mean);
    }
    deviation = Math.max(least, parts < 2 ? 0 : Math.sqrt(squares / (parts - 1)));
  }

  double mean() {
    return mean;
  }

  double largest() {
    return largest;
  }

  /** So many standard deviations above the mean. */
  double limit(double factor) {
    return mean + factor * deviation;
  }

  boolean areEnough() {
    return parts >= LEAST_PARTS;
  }
}
