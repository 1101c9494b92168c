package org.flowmon.jobs.history;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.query.QueryTimeoutException;
import org.flowmon.jobs.merge.WindowResult;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One window's way to its history: waits for the archive to reach as-of, for half of the time limit
 * at most; then for a free thread, until the limit; then runs the query. Waiting holds no thread.
 * Whatever happens, exactly one answer comes, at the latest with the limit.
 */
final class HistoryLookup {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryLookup.class);
  private static final long POLL_MILLIS = 25;

  private final Archive archive;
  private final HistoryQuery query;
  private final LookupPool pool;
  private final Semaphore permits;
  private final WindowResult window;
  private final Consumer<HistoryAnswer> answer;
  private final AtomicBoolean done = new AtomicBoolean();
  private final long deadline;
  private final long patience;
  private boolean running;

  /**
   * A lookup that has not begun.
   *
   * @param permits of the analysis: how many of its lookups run at once
   * @param answer told once, on any thread
   */
  HistoryLookup(
      Archive archive,
      HistoryQuery query,
      LookupPool pool,
      Semaphore permits,
      WindowResult window,
      Consumer<HistoryAnswer> answer) {
    this.archive = archive;
    this.query = query;
    this.pool = pool;
    this.permits = permits;
    this.window = window;
    this.answer = answer;
    long limit = query.timeout().toNanos();
    long now = System.nanoTime();
    this.deadline = now + limit;
    this.patience = now + limit / 2;
  }

  /** Begins, on a thread that may wait for files. */
  void start() {
    pool.after(query.timeout().toMillis(), this::expire);
    attempt();
  }

  // One attempt after another: on the starter's thread, then on the pool's timer.
  private void attempt() {
    if (done.get()) {
      return;
    }
    try {
      if (System.nanoTime() < patience && archive.historyThrough() < query.asOf(window)) {
        pool.after(POLL_MILLIS, this::attempt);
        return;
      }
    } catch (IOException | RuntimeException e) {
      fail(e);
      return;
    }
    if (!permits.tryAcquire()) {
      pool.after(POLL_MILLIS, this::attempt);
      return;
    }
    setRunning(true);
    if (!pool.tryRun(this::run)) {
      setRunning(false);
      permits.release();
      pool.after(POLL_MILLIS, this::attempt);
    }
  }

  private void run() {
    try {
      long left = deadline - System.nanoTime();
      if (!done.get() && left > 0) {
        finish(query.run(archive, window, Duration.ofNanos(left)));
      }
    } catch (QueryTimeoutException e) {
      finish(HistoryAnswer.without(HistoryStatus.TIMEOUT, query.asOf(window), e.getMessage()));
    } catch (IOException | RuntimeException e) {
      fail(e);
    } finally {
      permits.release();
    }
  }

  /** The limit is over: a lookup that never ran was refused, one that runs is too slow. */
  private void expire() {
    long millis = query.timeout().toMillis();
    finish(
        isRunning()
            ? HistoryAnswer.without(
                HistoryStatus.TIMEOUT,
                query.asOf(window),
                "the lookup did not end within " + millis + " ms")
            : HistoryAnswer.without(
                HistoryStatus.REFUSED,
                query.asOf(window),
                "no lookup could begin within " + millis + " ms: too many at once"));
  }

  private synchronized void setRunning(boolean now) {
    running = now;
  }

  private synchronized boolean isRunning() {
    return running;
  }

  private void fail(Exception e) {
    LOG.warn(
        "no history for analysis {}, window that ends at {} µs",
        window.analysis(),
        window.windowEnd(),
        e);
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    finish(HistoryAnswer.without(HistoryStatus.FAILED, query.asOf(window), message));
  }

  private void finish(HistoryAnswer result) {
    if (done.compareAndSet(false, true)) {
      answer.accept(result);
    }
  }
}
