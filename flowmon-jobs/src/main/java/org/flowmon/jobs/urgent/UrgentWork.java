package org.flowmon.jobs.urgent;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Work of this process that somebody waits for: windows that close, lookups of history, reports.
 * {@link Politeness} lets it go first. Of all jobs of the process together, as they share its
 * cores. It is urgent for some seconds: what takes longer, and nothing else begins meanwhile, waits
 * for something else than cores, as a lookup does for a store that is slow, or is not kept waiting
 * by much. One is begun and closed by the same thread.
 */
public final class UrgentWork implements AutoCloseable {
  // From one operator to the next some milliseconds go by without any.
  static final long LINGER_NANOS = 50_000_000;

  static final long MOST_NANOS = 3_000_000_000L;

  private static final AtomicInteger RUNNING = new AtomicInteger();
  private static final AtomicLong ENDED = new AtomicLong(System.nanoTime() - LINGER_NANOS);

  private static final AtomicLong BEGUN = new AtomicLong(System.nanoTime());

  private boolean closed;

  private UrgentWork() {
    enter();
  }

  private static void enter() {
    BEGUN.set(System.nanoTime());
    RUNNING.incrementAndGet();
  }

  private static void leave() {
    ENDED.set(System.nanoTime());
    RUNNING.decrementAndGet();
  }

  /** Begins some, which runs until it is closed. */
  public static UrgentWork begin() {
    return new UrgentWork();
  }

  /** Whether some runs, or did a moment ago. */
  static boolean isRunning() {
    long now = System.nanoTime();
    return (RUNNING.get() > 0 && now - BEGUN.get() < MOST_NANOS)
        || now - ENDED.get() < LINGER_NANOS;
  }

  /**
   * Runs what may have to wait for others, as output does for buffers: that is not urgent. What is
   * done in a moment changes nothing.
   */
  public void aside(Runnable step) {
    if (closed) {
      step.run();
      return;
    }
    leave();
    try {
      step.run();
    } finally {
      enter();
    }
  }

  @Override
  public void close() {
    if (!closed) {
      closed = true;
      leave();
    }
  }
}
