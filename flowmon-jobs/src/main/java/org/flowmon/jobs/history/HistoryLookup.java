package org.flowmon.jobs.history;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.query.limit.QueryTimeoutException;
import org.flowmon.archive.query.limit.RowLimitException;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lookup of one window's history. It waits for the archive to reach as-of, half of the time
 * limit at most, then for a free thread until the limit, then runs the query. Waiting holds no
 * thread. Exactly one answer comes, at the latest with the limit.
 */
final class HistoryLookup {
  private static final Logger LOG = LoggerFactory.getLogger(HistoryLookup.class);
  private static final long POLL_MILLIS = 25;

  private final AnalysisLookups lookups;
  private final HistoryQuery query;
  private final WindowResult window;
  private final Receiver receiver;
  private final AtomicBoolean done = new AtomicBoolean();
  private final long begun = System.nanoTime();
  private final long deadline;
  private final long patience;
  private volatile boolean running;
  private volatile @Nullable Future<?> limit; // set by start
  // When the query began to run, 0 if it did not.
  private volatile long runBegun;

  /** Takes the answer. */
  interface Receiver {
    /** Waited: for archive, thread and other lookups. Ran: up to the query's end or limit. */
    void accept(HistoryAnswer answer, long waitedNanos, long ranNanos);
  }

  /**
   * Creates one that has not begun. {@code isPatient}: it waits for the archive. The receiver is
   * called once, on any thread.
   */
  HistoryLookup(
      AnalysisLookups lookups, WindowResult window, boolean isPatient, Receiver receiver) {
    this.lookups = lookups;
    this.query = lookups.query();
    this.window = window;
    this.receiver = receiver;
    long timeout = query.timeout().toNanos();
    this.deadline = begun + timeout;
    this.patience = isPatient ? begun + timeout / 2 : begun;
  }

  /** Begins; the caller and the pool's timer never wait for files. */
  void start() {
    limit = lookups.pool().after(query.timeout().toMillis(), this::expire);
    boolean isBegun =
        lookups.tryRun(this::lookUp)
            || (query.isCached(window.windowEnd()) && lookups.pool().tryRun(this::takeCached));
    if (!isBegun) {
      again();
    }
  }

  /** A cached answer costs next to nothing, so it waits for no other lookup of the analysis. */
  private void takeCached() {
    Optional<HistoryAnswer> cached = Optional.empty();
    try (ArchivesSnapshot snapshot = lookups.archives().snapshot()) {
      cached = query.cached(snapshot, window.windowEnd());
    } catch (IOException | RuntimeException e) {
      // The lookup reports the error.
      LOG.debug("analysis {}: a cached history cannot be checked", window.analysis(), e);
    }
    if (cached.isPresent()) {
      finish(cached.get());
    } else if (!done.get() && !lookups.tryRunHere(this::lookUp)) {
      again();
    }
  }

  // Each on a thread of the pool: on the timer a slow store would hold up every limit.
  private void attempt() {
    if (!done.get() && !lookups.tryRun(this::lookUp)) {
      again();
    }
  }

  private void again() {
    lookups.later(POLL_MILLIS, this::attempt);
  }

  /** Returns the work to be done afterwards. */
  private Runnable lookUp() {
    running = true;
    try {
      Optional<HistoryAnswer> answer = ask();
      if (answer.isPresent()) {
        return () -> finish(answer.get());
      }
      running = false;
      return this::again;
    } catch (QueryTimeoutException e) {
      return () -> finish(HistoryStatus.TIMEOUT, e.getMessage());
    } catch (RowLimitException e) {
      return () ->
          finish(
              HistoryStatus.REFUSED,
              e.getMessage() + "; history.rows of the analysis allows no more");
    } catch (AnswerTooLargeException e) {
      return () -> finish(HistoryStatus.REFUSED, e.getMessage());
    } catch (IOException | RuntimeException e) {
      return () -> fail(e);
    } catch (Error e) {
      finish(HistoryStatus.FAILED, e.toString());
      throw e; // not a failure of the lookup alone
    }
  }

  /** Empty if it is to be asked for again. */
  private Optional<HistoryAnswer> ask() throws IOException {
    try (ArchivesSnapshot snapshot = lookups.archives().snapshot()) {
      Optional<HistoryAnswer> cached = query.cached(snapshot, window.windowEnd());
      if (cached.isPresent()) {
        return cached;
      }
      long now = System.nanoTime();
      boolean isToWait = now < patience && !query.isReached(snapshot, window);
      if (isToWait || done.get() || now >= deadline) {
        return Optional.empty();
      }
      runBegun = now == 0 ? 1 : now;
      Duration left = Duration.ofNanos(deadline - now);
      return Optional.of(lookups.running().run(this, () -> query.run(snapshot, window, left)));
    }
  }

  /** At the limit a lookup that does not run was refused, one that runs is too slow. */
  private void expire() {
    long millis = query.timeout().toMillis();
    if (running) {
      finish(HistoryStatus.TIMEOUT, "the lookup did not end within " + millis + " ms");
    } else {
      finish(
          HistoryStatus.REFUSED,
          "no lookup could begin within " + millis + " ms: too many at once");
    }
    lookups.running().stop(this); // also if it waits for a store
  }

  private void fail(Exception e) {
    // If the task has ended, the archive may be closed: that is no failure to report.
    if (!done.get() && !lookups.running().isClosed()) {
      LOG.warn(
          "analysis {}: no history for the window that ends at {} µs",
          window.analysis(),
          window.windowEnd(),
          e);
    }
    finish(HistoryStatus.FAILED, Objects.requireNonNullElse(e.getMessage(), e.toString()));
  }

  private void finish(HistoryStatus status, @Nullable String message) {
    finish(HistoryAnswer.without(status, query.asOf(window.windowEnd()), message));
  }

  private void finish(HistoryAnswer answer) {
    if (done.compareAndSet(false, true)) {
      Future<?> unneeded = limit;
      if (unneeded != null) {
        unneeded.cancel(false); // it would hold the window until then
      }
      long now = System.nanoTime();
      long from = runBegun;
      long ran = from == 0 ? 0 : now - from;
      receiver.accept(answer, now - begun - ran, ran);
    }
  }
}
