package org.flowmon.archive.query;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** When a query has to end, by time and by rows read, and how far it is. Safe for many threads. */
final class Deadline {
  private final Duration limit;
  private final long startNanos;
  private final long limitNanos;
  private final long rowLimit;
  private final int segments;
  private final AtomicLong rows = new AtomicLong();
  private final AtomicInteger done = new AtomicInteger();
  private volatile boolean cancelled;

  /**
   * Begins now.
   *
   * @param limit null for none
   * @param rowLimit {@link Long#MAX_VALUE} for none
   */
  Deadline(Duration limit, long rowLimit, int segments) {
    this.rowLimit = rowLimit;
    this.limit = limit;
    this.startNanos = System.nanoTime();
    // A limit beyond 292 years is none.
    this.limitNanos =
        limit == null || limit.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0
            ? Long.MAX_VALUE
            : limit.toNanos();
    this.segments = segments;
  }

  void segmentDone() {
    done.incrementAndGet();
  }

  /** Lets all threads of the query end at their next block. */
  void cancel() {
    cancelled = true;
  }

  boolean isCancelled() {
    return cancelled;
  }

  long elapsedNanos() {
    return System.nanoTime() - startNanos;
  }

  /**
   * Goes on to read rows where they are within the limit.
   *
   * @throws RowLimitException where they are not
   */
  void read(int more) {
    if (rowLimit != Long.MAX_VALUE && rows.addAndGet(more) > rowLimit) {
      throw new RowLimitException(rowLimit, done.get(), segments);
    }
  }

  /**
   * Goes on where there is time.
   *
   * @throws QueryTimeoutException where there is none left
   */
  void check() {
    if (limitNanos != Long.MAX_VALUE && elapsedNanos() > limitNanos) {
      throw new QueryTimeoutException(limit, done.get(), segments);
    }
  }
}
