package org.flowmon.archive.query.limit;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;

/**
 * The limits of a query (time, rows, bytes read, whether anybody waits for it), and its progress.
 * One for all attempts at a query. Safe for many threads.
 */
public final class Deadline {
  private final Optional<Duration> limit;
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
   * Starts the time. A limit is empty or {@link Long#MAX_VALUE} for none. {@code isGone}, whether
   * nobody waits any more, is called for each block of work.
   */
  public Deadline(Optional<Duration> limit, long rowLimit, long byteLimit, BooleanSupplier isGone) {
    this.isGone = isGone;
    this.rowLimit = rowLimit;
    this.byteLimit = byteLimit;
    this.limit = limit;
    this.startNanos = System.nanoTime();
    // A limit beyond 292 years is none.
    this.limitNanos =
        limit
            .filter(some -> some.compareTo(Duration.ofNanos(Long.MAX_VALUE)) < 0)
            .map(Duration::toNanos)
            .orElse(Long.MAX_VALUE);
  }

  /** Begins an attempt; rows, bytes and time of earlier ones count. Only one thread runs now. */
  public void begin(int ofSegments) {
    segments = ofSegments;
    done.set(0);
    cancelled = false;
  }

  /**
   * Counts a piece, its bytes and, if {@code counts}, its segment.
   *
   * @throws ByteLimitException if the bytes exceed the limit
   */
  public void pieceDone(boolean counts, long bytesRead) {
    done.addAndGet(counts ? 1 : 0);
    bytesRead(bytesRead);
  }

  /**
   * Counts bytes read before any segment is done.
   *
   * @throws ByteLimitException if the bytes exceed the limit
   */
  public void bytesRead(long more) {
    long read = bytes.addAndGet(more);
    if (read > byteLimit) {
      throw new ByteLimitException(byteLimit, read, done.get(), segments);
    }
  }

  public long bytes() {
    return bytes.get();
  }

  /** Makes all threads of the query end soon. */
  public void cancel() {
    cancelled = true;
  }

  public boolean isCancelled() {
    return cancelled;
  }

  public long elapsedNanos() {
    return System.nanoTime() - startNanos;
  }

  /** Throws {@link RowLimitException} if the rows about to be read exceed the limit. */
  public void read(int more) {
    if (rowLimit != Long.MAX_VALUE && rows.addAndGet(more) > rowLimit) {
      throw new RowLimitException(rowLimit, done.get(), segments);
    }
  }

  /**
   * Also checks cancellation.
   *
   * @throws QueryTimeoutException if no time is left
   */
  public void check() {
    checkCancelled();
    if (limitNanos != Long.MAX_VALUE && elapsedNanos() > limitNanos) {
      throw new QueryTimeoutException(limit.orElseThrow(), done.get(), segments);
    }
  }

  /**
   * Throws {@link QueryCancelledException} if the query was cancelled, or this thread is
   * interrupted.
   */
  public void checkCancelled() {
    if (cancelled || Thread.currentThread().isInterrupted() || isGone.getAsBoolean()) {
      cancelled = true;
      throw cancelled();
    }
  }

  public QueryCancelledException cancelled() {
    return new QueryCancelledException(done.get(), segments);
  }
}
