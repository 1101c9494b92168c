package org.flowmon.jobs.urgent;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Work of this process that somebody waits for: windows that close, lookups of history, reports.
 * {@link Politeness} lets it go first. Of all jobs of the process together, as they share its
 * cores. Thread-safe.
 */
public final class UrgentWork implements AutoCloseable {
  // From one operator to the next some milliseconds go by without any.
  static final long LINGER_NANOS = 50_000_000;

  private static final AtomicInteger RUNNING = new AtomicInteger();
  private static final AtomicLong ENDED = new AtomicLong(System.nanoTime() - LINGER_NANOS);

  private boolean closed;

  private UrgentWork() {
    RUNNING.incrementAndGet();
  }

  /** Begins some, which runs until it is closed. */
  public static UrgentWork begin() {
    return new UrgentWork();
  }

  /** Whether some runs, or did a moment ago. */
  static boolean isRunning() {
    return RUNNING.get() > 0 || System.nanoTime() - ENDED.get() < LINGER_NANOS;
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      ENDED.set(System.nanoTime());
      RUNNING.decrementAndGet();
    }
  }
}
