package org.flowmon.bench.experiment;

import java.io.IOException;
import java.util.Arrays;

/** Times of equal or similar operations, ms, ascending. */
public final class Timings {
  /** A timed operation. */
  @FunctionalInterface
  public interface Operation {
    void run(int round) throws IOException;
  }

  private final double[] sorted;

  private Timings(double[] sorted) {
    this.sorted = sorted;
  }

  /** Runs an operation {@code count} times, for the rounds 0 … count − 1. */
  public static Timings of(int count, Operation operation) throws IOException {
    double[] millis = new double[count];
    for (int round = 0; round < count; round++) {
      long start = System.nanoTime();
      operation.run(round);
      millis[round] = (System.nanoTime() - start) / 1e6;
    }
    Arrays.sort(millis);
    return new Timings(millis);
  }

  public double best() {
    return sorted[0];
  }

  /** The smallest time that at least this share of the runs did not exceed. */
  public double percentile(double share) {
    return sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }

  public double median() {
    return percentile(0.5);
  }
}
