package org.flowmon.bench.experiment;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flowmon.archive.retention.TimestampHistogram;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The rate at which several threads add to the timestamp histogram. */
@Command(
    name = "histogram",
    mixinStandardHelpOptions = true,
    description = {
      "Timestamps a second into the histogram that finds the cutoff of a limit of rows, by the"
          + " number of threads: each fills one of its own, and all are merged, as writers and"
          + " commits do; and, beside it, all fill one under a lock."
    })
public final class HistogramThreads implements Callable<Integer> {
  private static final int DAYS = 28;
  private static final long BEGIN = 1_767_225_600_000_000L; // 2026-01-01T00:00:00Z
  private static final long DAY = 86_400_000_000L;
  private static final long JITTER = 60_000_000L;
  private static final int TIMES = 1 << 20;

  @Mixin private ExperimentOptions options;

  @Option(
      names = "--thread-counts",
      split = ",",
      defaultValue = "1,2,4,8,16,32,64",
      description = "Numbers of threads; default ${DEFAULT-VALUE}.")
  private List<Integer> counts;

  @Option(
      names = "--adds",
      defaultValue = "20000000",
      description = "Timestamps that all threads add together; default ${DEFAULT-VALUE}.")
  private long adds;

  /** Adds a thread's part of the timestamps. */
  private interface Adder {
    void add(long time);
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    if (adds < 1 || counts.stream().anyMatch(n -> n < 1 || n > 1024)) {
      throw new UsageException("--adds is at least 1, --thread-counts are 1 … 1024");
    }
    long[] times = times();
    BenchResult table =
        new BenchResult(String.format("archive histogram, %,d timestamps of %d days", adds, DAYS));
    SvgPlot plot = new SvgPlot("Timestamp histogram", "threads", true, "adds/s", false);
    for (int threads : counts) {
      measure(threads, times, false);
      measure(threads, times, true);
      double own = 0;
      double merging = Double.MAX_VALUE;
      double locked = 0;
      for (int round = 0; round < options.rounds(); round++) {
        double[] seconds = measure(threads, times, false);
        own = Math.max(own, adds / (seconds[0] + seconds[1]));
        merging = Math.min(merging, seconds[1]);
        locked = Math.max(locked, adds / measure(threads, times, true)[0]);
      }
      Map<String, Object> row = new LinkedHashMap<>();
      row.put("threads", (long) threads);
      row.put("adds_per_second", own);
      row.put("of_it_merging_ms", merging * 1e3);
      row.put("one_lock_adds_per_second", locked);
      table.row(row);
      options.progress(String.format("%d threads: %,.0f adds/s", threads, own));
      plot.point("one each, merged", threads, own);
      plot.point("one for all, locked", threads, locked);
    }
    options.show("histogram", table, plot);
    return ExitCodes.DONE;
  }

  /** Timestamps in the order of arrival: nearly sorted. */
  private long[] times() {
    SplittableRandom random = new SplittableRandom(options.seed());
    long[] times = new long[TIMES];
    for (int i = 0; i < TIMES; i++) {
      times[i] = BEGIN + DAYS * DAY / TIMES * i - random.nextLong(JITTER);
    }
    return times;
  }

  /** Seconds of adding and of merging. */
  private double[] measure(int threads, long[] times, boolean isShared) throws IOException {
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
        long from = adds * t / threads;
        long to = adds * (t + 1) / threads;
        running.add(
            pool.submit(
                () -> {
                  begin.await();
                  add(times, from, to, isShared ? time -> addLocked(mine, time) : mine::add);
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
      if (all.total() != adds) {
        throw new IllegalStateException("added " + adds + " timestamps, found " + all.total());
      }
      return new double[] {(added - start) / 1e9, merging};
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while threads added");
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      pool.shutdownNow();
    }
  }

  private static void add(long[] times, long from, long to, Adder adder) {
    for (long i = from; i < to; i++) {
      adder.add(times[(int) (i & (TIMES - 1))]);
    }
  }

  private static void addLocked(TimestampHistogram histogram, long time) {
    synchronized (histogram) {
      histogram.add(time);
    }
  }
}
