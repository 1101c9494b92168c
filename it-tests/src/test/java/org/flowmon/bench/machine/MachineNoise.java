package org.flowmon.bench.machine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Measures how evenly a machine runs a constant task: a loop that needs only cores, on as many
 * threads as the compared task. The excess of its slow runs is the machine's.
 */
public final class MachineNoise {
  private static final int CALIBRATION = 5;
  private static final long FIRST_STEPS = 1_000_000;

  private MachineNoise() {}

  /**
   * Repeats the loop often enough to show slow runs.
   *
   * @param threads each runs the loop, and a run ends with the last of them
   * @param millis the approximate time of a run
   * @param runs at least 1
   * @return the 99th percentile of the runs' times over their median, at least 1
   */
  public static double slowest(int threads, double millis, int runs) {
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    try {
      long steps = FIRST_STEPS;
      for (int i = 0; i < CALIBRATION; i++) {
        double took = run(pool, threads, steps) / 1e6;
        steps = Math.max(1, (long) (steps * Math.max(0.01, millis / took)));
      }
      long[] nanos = new long[runs];
      for (int i = 0; i < runs; i++) {
        nanos[i] = run(pool, threads, steps);
      }
      Arrays.sort(nanos);
      int last = (int) Math.ceil(0.99 * runs) - 1;
      return nanos[last] / (double) nanos[(runs - 1) / 2];
    } finally {
      pool.shutdownNow();
    }
  }

  private static long run(ExecutorService pool, int threads, long steps) {
    long start = System.nanoTime();
    List<Future<Long>> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      long seed = t + 1L;
      all.add(pool.submit(() -> loop(seed, steps)));
    }
    try {
      for (Future<Long> one : all) {
        if (one.get() == 0) {
          throw new AssertionError(
              "a generator without 0 gave it"); // so that no loop is optimized away
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted while the machine's noise was measured", e);
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    }
    return System.nanoTime() - start;
  }

  /** Marsaglia's xorshift generator (2003), which never reaches 0. */
  private static long loop(long seed, long steps) {
    long x = seed;
    for (long i = 0; i < steps; i++) {
      x ^= x << 13;
      x ^= x >>> 7;
      x ^= x << 17;
    }
    return x;
  }
}
