package org.flowmon.jobs.history;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.query.limit.RowLimitException;
import org.flowmon.jobs.merge.WindowPriority;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lookup of one window's history. It waits for the archive to reach as-of, for half of the time
 * limit at most; then for a free thread, until the limit; then it runs the query. Waiting holds no
 * thread. In any case exactly one answer comes, at the latest with the limit.
 */
final class HistoryLookup {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryLookup.class);
  private static final long POLL_MILLIS = 25;

  private final Archive archive;
  private final HistoryQuery query;
  private final LookupPool pool;
  private final Semaphore permits;
  private final WindowResult window;
  private final RunningLookups lookups;
  private final Told answer;
  private final AtomicBoolean done = new AtomicBoolean();
  private final long begun;
  private final long deadline;
  private final long patience;
  private boolean running;
  private volatile Future<?> limit;
  // When the query began to run, 0 if it did not.
  private volatile long runBegun;

  /** Takes the answer. */
  interface Told {
    /**
     * Takes the answer.
     *
     * @param waitedNanos for the archive, a thread and the analysis's other lookups
     * @param ranNanos run time of the query, up to its end or the time limit
     */
    void accept(HistoryAnswer answer, long waitedNanos, long ranNanos);
  }

  /**
   * Creates a lookup that has not begun.
   *
   * @param permits of the analysis: limits its lookups that run at once
   * @param lookups of the task that waits for the answer
   * @param isPatient whether it waits for the archive
   * @param answer called once, on any thread
   */
  HistoryLookup(
      Archive archive,
      HistoryQuery query,
      LookupPool pool,
      Semaphore permits,
      WindowResult window,
      RunningLookups lookups,
      boolean isPatient,
      Told answer) {
    this.begun = System.nanoTime();
    this.archive = archive;
    this.query = query;
    this.pool = pool;
    this.permits = permits;
    this.window = window;
    this.lookups = lookups;
    this.answer = answer;
    long timeout = query.timeout().toNanos();
    this.deadline = begun + timeout;
    this.patience = isPatient ? begun + timeout / 2 : begun;
  }

  /** Begins; the caller and the pool's timer never wait for files. */
  void start() {
    limit = pool.after(query.timeout().toMillis(), this::expire);
    if (!begin() && !(query.isKept(window.windowEnd()) && pool.tryRun(this::askKept))) {
      again();
    }
  }

  /**
   * Looks for a cached answer: it costs next to nothing, so it does not wait for other lookups of
   * the analysis.
   */
  private void askKept() {
    HistoryAnswer known = null;
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      known = query.known(snapshot, window.windowEnd());
    } catch (IOException | RuntimeException e) {
      LOG.debug("whether a kept answer of {} holds is not known", window.analysis(), e);
    }
    if (known != null) {
      finish(known);
    } else if (!done.get() && permits.tryAcquire()) {
      setRunning(true);
      run(); // which reports the error
    } else {
      again();
    }
  }

  // Makes attempts, each on a thread of the pool: on the timer a slow store would hold up every
  // lookup's limit.
  private void attempt() {
    if (!done.get() && !begin()) {
      again();
    }
  }

  private void again() {
    var unused = pool.after(POLL_MILLIS, this::attempt);
  }

  /** Runs on a thread of the pool if the analysis may have one more and one is free. */
  private boolean begin() {
    if (!permits.tryAcquire()) {
      return false;
    }
    setRunning(true);
    boolean isBegun = false;
    try {
      isBegun = pool.tryRun(this::run);
      return isBegun;
    } finally {
      if (!isBegun) { // also if the system has no thread: no other lookup waits for that
        setRunning(false);
        permits.release();
      }
    }
  }

  private void run() {
    HistoryAnswer result;
    try {
      result = lookUp();
    } catch (QueryTimeoutException e) {
      result = HistoryAnswer.without(HistoryStatus.TIMEOUT, query.asOf(window), e.getMessage());
    } catch (RowLimitException e) {
      result =
          HistoryAnswer.without(
              HistoryStatus.REFUSED,
              query.asOf(window),
              e.getMessage() + "; history.rows of the analysis allows no more");
    } catch (AnswerTooLargeException e) {
      result = HistoryAnswer.without(HistoryStatus.REFUSED, query.asOf(window), e.getMessage());
    } catch (IOException | RuntimeException e) {
      result = failed(e);
    } catch (Error e) {
      finish(HistoryAnswer.without(HistoryStatus.FAILED, query.asOf(window), e.toString()));
      throw e; // not a failure of the lookup alone
    } finally {
      permits.release();
    }
    if (result != null) {
      finish(result);
    } else {
      setRunning(false);
      again();
    }
  }

  /** Returns the answer, null to retry. */
  private HistoryAnswer lookUp() throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      HistoryAnswer known = query.known(snapshot, window.windowEnd());
      if (known != null) {
        return known;
      }
      if (System.nanoTime() < patience && !query.isReached(snapshot, window.windowEnd())) {
        return null;
      }
      long now = System.nanoTime();
      long left = deadline - now;
      if (done.get() || left <= 0) {
        return null;
      }
      runBegun = now == 0 ? 1 : now;
      try (WindowPriority.Work work = WindowPriority.ofProcess().begin()) {
        return lookups.run(this, () -> query.run(snapshot, window, Duration.ofNanos(left)));
      }
    }
  }

  /** Ends at the limit: a lookup that does not run was refused, one that runs is too slow. */
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
    lookups.stop(this); // also if it waits for a store
  }

  private synchronized void setRunning(boolean now) {
    running = now;
  }

  private synchronized boolean isRunning() {
    return running;
  }

  private HistoryAnswer failed(Exception e) {
    // If the task has ended, the archive may be closed: that is no failure to report.
    if (!done.get() && !lookups.isClosed()) {
      LOG.warn(
          "no history for analysis {}, window that ends at {} µs",
          window.analysis(),
          window.windowEnd(),
          e);
    }
    String message = e.getMessage() == null ? e.toString() : e.getMessage();
    return HistoryAnswer.without(HistoryStatus.FAILED, query.asOf(window), message);
  }

  private void finish(HistoryAnswer result) {
    if (done.compareAndSet(false, true)) {
      Future<?> unneeded = limit;
      if (unneeded != null) {
        unneeded.cancel(false); // it would hold the window until then
      }
      long now = System.nanoTime();
      long from = runBegun;
      long ran = from == 0 ? 0 : now - from;
      answer.accept(result, now - begun - ran, ran);
    }
  }
}
