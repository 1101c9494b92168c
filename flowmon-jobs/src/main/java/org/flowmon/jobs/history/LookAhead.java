package org.flowmon.jobs.history;

import java.io.IOException;
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

  private final AnalysisLookups lookups;
  private final long slideMicros;
  private long expected = Long.MIN_VALUE; // guarded by this
  private long since; // guarded by this

  /**
   * Creates the look-ahead of one analysis.
   *
   * @param slideMicros from the end of a window to that of the next
   */
  LookAhead(AnalysisLookups lookups, long slideMicros) {
    this.lookups = lookups;
    this.slideMicros = slideMicros;
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
    boolean isWanted = !lookups.running().isClosed() && isExpected(windowEnd);
    if (isWanted && !lookups.tryRun(() -> lookUp(windowEnd))) {
      again(windowEnd);
    }
  }

  private void again(long windowEnd) {
    lookups.later(POLL_MILLIS, () -> attempt(windowEnd));
  }

  private synchronized boolean isExpected(long windowEnd) {
    return expected == windowEnd && System.nanoTime() - since < 1000 * slideMicros + PATIENCE_NANOS;
  }

  /** Looks up if the archive has reached as-of; returns what is to be done then. */
  private Runnable lookUp(long windowEnd) {
    HistoryQuery query = lookups.query();
    try (ArchiveSnapshot snapshot = lookups.archive().snapshot()) {
      if (!query.isReached(snapshot, windowEnd)) {
        return () -> again(windowEnd);
      }
      // A cached answer may be outdated: the archive may have other segments since.
      if (query.cached(snapshot, windowEnd).isEmpty()) {
        var unused =
            lookups.running().run(new Object(), () -> query.lookAhead(snapshot, windowEnd));
      }
    } catch (IOException | RuntimeException e) {
      // The window's own lookup reports the error.
      LOG.debug("no history ahead of the window that ends at {} µs", windowEnd, e);
    }
    return () -> {};
  }
}
