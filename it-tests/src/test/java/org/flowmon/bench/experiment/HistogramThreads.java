package org.flowmon.bench.experiment;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.LongConsumer;
import org.flowmon.archive.retention.TimestampHistogram;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;

/** The rate at which several threads add to the timestamp histogram. */
public final class HistogramThreads implements Experiment {
  private static final long BEGIN = 1_767_225_600_000_000L; // 2026-01-01T00:00:00Z
  private static final long LENGTH = 28 * 86_400_000_000L;
  private static final long JITTER = 60_000_000L;
  private static final int TIMES = 1 << 20;

  @Override
  public void run(Run run) throws Exception {
    long adds = run.number("adds");
    long[] times = times(run.number("seed"));
    for (int threads : run.integers("thread-counts")) {
      measure(threads, times, adds, false);
      measure(threads, times, adds, true);
      double own = 0;
      double merging = Double.MAX_VALUE;
      double locked = 0;
      for (int round = 0; round < run.integer("rounds"); round++) {
        double[] seconds = measure(threads, times, adds, false);
        own = Math.max(own, adds / (seconds[0] + seconds[1]));
        merging = Math.min(merging, seconds[1]);
        locked = Math.max(locked, adds / measure(threads, times, adds, true)[0]);
      }
      run.add(
          new Row()
              .put("threads", threads)
              .put("adds_per_second", own)
              .put("of_it_merging_ms", merging * 1e3)
              .put("one_lock_adds_per_second", locked));
    }
  }

  /** Timestamps in the order of arrival: nearly sorted. */
  private static long[] times(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    long[] times = new long[TIMES];
    for (int i = 0; i < TIMES; i++) {
      times[i] = BEGIN + LENGTH / TIMES * i - random.nextLong(JITTER);
    }
    return times;
  }

  /** Seconds of adding and of merging. */
  private static double[] measure(int threads, long[] times, long adds, boolean isShared)
      throws Exception {
    List<TimestampHistogram> filled = new ArrayList<>();
    for (int t = 0; t < (isShared ? 1 : threads); t++) {
      filled.add(new TimestampHistogram());
    }
    CountDownLatch begin = new CountDownLatch(1);
    ExecutorService pool = Executors.newFixedThreadPool(threads);
    List<Future<?>> running = new ArrayList<>();
    try {
      for (int t = 0; t < threads; t++) {
        TimestampHistogram mine = filled.get(isShared ? 0 : t);
        LongConsumer adder = isShared ? time -> addLocked(mine, time) : mine::add;
        long from = adds * t / threads;
        long to = adds * (t + 1) / threads;
        running.add(
            pool.submit(
                () -> {
                  begin.await();
                  for (long i = from; i < to; i++) {
                    adder.accept(times[(int) (i & (TIMES - 1))]);
                  }
                  return null;
                }));
      }
      long start = System.nanoTime();
      begin.countDown();
      for (Future<?> one : running) {
        one.get();
      }
      long added = System.nanoTime();
      TimestampHistogram all = filled.get(0);
      filled.subList(1, filled.size()).forEach(all::add);
      double merging = (System.nanoTime() - added) / 1e9;
      Run.require(all.total() == adds, "added %d timestamps, found %d", adds, all.total());
      return new double[] {(added - start) / 1e9, merging};
    } finally {
      pool.shutdownNow();
    }
  }

  private static void addLocked(TimestampHistogram histogram, long time) {
    synchronized (histogram) {
      histogram.add(time);
    }
  }
}
