package org.flowmon.jobs.history;

import java.io.IOException;
import org.flowmon.archive.ArchivesSnapshot;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks up an analysis's next window in advance, if its history depends on the window's end alone,
 * as soon as the archive has all arrivals up to as-of: the answer is final then. Nobody waits; an
 * inexact or failed answer is ignored. Thread-safe.
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

  LookAhead(AnalysisLookups lookups, long slideMicros) {
    this.lookups = lookups;
    this.slideMicros = slideMicros;
  }

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

  private Runnable lookUp(long windowEnd) {
    HistoryQuery query = lookups.query();
    try (ArchivesSnapshot snapshot = lookups.archives().snapshot()) {
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
