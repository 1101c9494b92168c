package org.flowmon.bench.harness;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collection;

/** Measured values of equal or similar operations, in ascending order. */
public final class Samples {
  /** A timed operation. */
  @FunctionalInterface
  public interface Operation {
    void run(int round) throws IOException;
  }

  private final double[] sorted;

  private Samples(double[] values) {
    sorted = values;
    Arrays.sort(sorted);
  }

  /** Values that were measured elsewhere. */
  public static Samples of(Collection<Double> values) {
    return new Samples(values.stream().mapToDouble(Double::doubleValue).toArray());
  }

  /** Values that were measured elsewhere. */
  public static Samples of(double... values) {
    return new Samples(values.clone());
  }

  /** Runs an operation for the rounds 0 … count − 1: ms of each. */
  public static Samples millis(int count, Operation operation) throws IOException {
    double[] millis = new double[count];
    for (int round = 0; round < count; round++) {
      long start = System.nanoTime();
      operation.run(round);
      millis[round] = (System.nanoTime() - start) / 1e6;
    }
    return new Samples(millis);
  }

  /** CPU time of this thread, without that of other processes. */
  public static long cpuNanos() {
    return ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime();
  }

  public int size() {
    return sorted.length;
  }

  /** The smallest value; NaN if there is none. */
  public double least() {
    return percentile(0);
  }

  /** The largest value; NaN if there is none. */
  public double most() {
    return percentile(1);
  }

  /** The smallest value that at least this share of all does not exceed; NaN if there is none. */
  public double percentile(double share) {
    return sorted.length == 0
        ? Double.NaN
        : sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }

  /** The middle value, or the mean of the two in the middle; NaN if there is none. */
  public double median() {
    int half = sorted.length / 2;
    return sorted.length % 2 == 1 || sorted.length == 0
        ? percentile(0.5)
        : (sorted[half - 1] + sorted[half]) / 2;
  }
}
