package org.flowmon.jobs.history;

import java.io.IOException;
import java.util.concurrent.Semaphore;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up the history of an analysis's next window in advance, if it depends on the window's end
 * alone. It starts as soon as the archive has all arrivals up to as-of, since the answer is final
 * then. Nobody waits for it; an inexact or failed answer is ignored. Thread-safe.
 */
final class LookAhead {
  private static final Logger LOG = LoggerFactory.getLogger(LookAhead.class);
  private static final long POLL_MILLIS = 500;
  // How long it waits for the archive beyond the window's own time.
  private static final long PATIENCE_NANOS = 60_000_000_000L;

  private final Archive archive;
  private final HistoryQuery query;
  private final LookupPool pool;
  private final Semaphore permits;
  private final long slideMicros;
  private final RunningLookups lookups;
  private long expected = Long.MIN_VALUE; // guarded by this
  private long since; // guarded by this

  /**
   * Creates the look-ahead of one analysis.
   *
   * @param permits as in {@link HistoryLookup}
   * @param slideMicros from the end of a window to that of the next
   * @param lookups of the task that is going to ask for answers
   */
  LookAhead(
      Archive archive,
      HistoryQuery query,
      LookupPool pool,
      Semaphore permits,
      long slideMicros,
      RunningLookups lookups) {
    this.archive = archive;
    this.query = query;
    this.pool = pool;
    this.permits = permits;
    this.slideMicros = slideMicros;
    this.lookups = lookups;
  }

  /** Takes a window; the next one comes a slide later. */
  void after(long windowEnd) {
    long next = windowEnd + slideMicros;
    synchronized (this) {
      if (next <= expected) {
        return;
      }
      expected = next;
      since = System.nanoTime();
    }
    attempt(next);
  }

  private void attempt(long windowEnd) {
    if (lookups.isClosed() || !isExpected(windowEnd)) {
      return;
    }
    if (!permits.tryAcquire() || !begin(windowEnd)) {
      again(windowEnd);
    }
  }

  /** Runs with the acquired permit, and releases it if it cannot run. */
  private boolean begin(long windowEnd) {
    boolean isBegun = false;
    try {
      isBegun = pool.tryRun(() -> run(windowEnd));
      return isBegun;
    } finally {
      if (!isBegun) { // also if the system has no thread
        permits.release();
      }
    }
  }

  private void again(long windowEnd) {
    var unused = pool.after(POLL_MILLIS, () -> attempt(windowEnd));
  }

  private synchronized boolean isExpected(long windowEnd) {
    return expected == windowEnd && System.nanoTime() - since < 1000 * slideMicros + PATIENCE_NANOS;
  }

  private void run(long windowEnd) {
    boolean isReached = false;
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      isReached = query.isReached(snapshot, windowEnd);
      // A cached answer may be outdated: the archive may have other segments since.
      if (isReached && query.known(snapshot, windowEnd) == null) {
        var unused =
            lookups.run(
                () -> {
                  query.lookAhead(snapshot, windowEnd);
                  return null;
                });
      }
    } catch (IOException | RuntimeException e) {
      isReached = true; // the window's own lookup reports the error
      LOG.debug("no history ahead of the window that ends at {} µs", windowEnd, e);
    } finally {
      permits.release();
    }
    if (!isReached) {
      again(windowEnd);
    }
  }
}
