package org.flowmon.archive.query.limit;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * When a query has to end, by time, by rows and bytes read, or since nobody waits for it, and how
 * far it is. One for all attempts at a query. Safe for many threads.
 */
public final class Deadline {
  private final Duration limit;
  private final long startNanos;
  private final long limitNanos;
  private final long rowLimit;
  private final long byteLimit;
  private final BooleanSupplier isGone;
  private final AtomicLong rows = new AtomicLong();
  private final AtomicLong bytes = new AtomicLong();
  private final AtomicInteger done = new AtomicInteger();
  private volatile int segments;
  private volatile boolean cancelled;

  /**
   * Begins now.
   *
   * @param limit null for none
   * @param rowLimit {@link Long#MAX_VALUE} for none
   * @param byteLimit likewise
   * @param isGone whether nobody waits for the query any more; asked for each block of work
   */
  public Deadline(Duration limit, long rowLimit, long byteLimit, BooleanSupplier isGone) {
    this.isGone = isGone;
    this.rowLimit = rowLimit;
    this.byteLimit = byteLimit;
    this.limit = limit;
    this.startNanos = System.nanoTime();
    // A limit beyond 292 years is none.
    this.limitNanos =
        limit == null || limit.compareTo(Duration.ofNanos(Long.MAX_VALUE)) >= 0
            ? Long.MAX_VALUE
            : limit.toNanos();
  }

  /** An attempt begins; what an earlier one has read and taken counts. No other thread is there. */
  public void begin(int ofSegments) {
    segments = ofSegments;
    done.set(0);
    cancelled = false;
  }

  /**
   * Counts a piece of a segment and the bytes that were read of it.
   *
   * @param counts whether the segment is counted with it
   * @throws ByteLimitException if these are too many
   */
  public void pieceDone(boolean counts, long bytesRead) {
    done.addAndGet(counts ? 1 : 0);
    bytesRead(bytesRead);
  }

  /**
   * Counts bytes that were read before any segment is done.
   *
   * @throws ByteLimitException if these are too many
   */
  public void bytesRead(long more) {
    long read = bytes.addAndGet(more);
    if (read > byteLimit) {
      throw new ByteLimitException(byteLimit, read, done.get(), segments);
    }
  }

  /** Bytes that were counted. */
  public long bytes() {
    return bytes.get();
  }

  /** Lets all threads of the query end soon. */
  public void cancel() {
    cancelled = true;
  }

  public boolean isCancelled() {
    return cancelled;
  }

  public long elapsedNanos() {
    return System.nanoTime() - startNanos;
  }

  /**
   * Goes on to read rows where they are within the limit.
   *
   * @throws RowLimitException if they are not
   */
  public void read(int more) {
    if (rowLimit != Long.MAX_VALUE && rows.addAndGet(more) > rowLimit) {
      throw new RowLimitException(rowLimit, done.get(), segments);
    }
  }

  /**
   * Goes on where there is time.
   *
   * @throws QueryTimeoutException if there is none left
   * @throws QueryCancelledException if the query was cancelled, or this thread is interrupted
   */
  public void check() {
    checkCancelled();
    if (limitNanos != Long.MAX_VALUE && elapsedNanos() > limitNanos) {
      throw new QueryTimeoutException(limit, done.get(), segments);
    }
  }

  /**
   * Goes on unless the query was cancelled.
   *
   * @throws QueryCancelledException if it was, or this thread is interrupted
   */
  public void checkCancelled() {
    if (cancelled || Thread.currentThread().isInterrupted() || isGone.getAsBoolean()) {
      cancelled = true;
      throw cancelled();
    }
  }

  /** That the query was cancelled. */
  public QueryCancelledException cancelled() {
    return new QueryCancelledException(done.get(), segments);
  }
}
