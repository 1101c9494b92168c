package org.flowmon.jobs.urgent;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Urgent work of this process: closing windows, lookups of history, reports. {@link Politeness}
 * lets it go first. It counts for all jobs of the process together, as they share its cores. Work
 * is urgent for some seconds. Longer work, without new work beginning meanwhile, waits for
 * something other than cores, such as a slow store, or is hardly delayed. Begun and closed by the
 * same thread.
 */
public final class UrgentWork implements AutoCloseable {
  // Some milliseconds pass between the urgent work of one operator and the next.
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

  /** Begins urgent work, which runs until it is closed. */
  public static UrgentWork begin() {
    return new UrgentWork();
  }

  /** Whether urgent work runs, or did a moment ago. */
  static boolean isRunning() {
    long now = System.nanoTime();
    return (RUNNING.get() > 0 && now - BEGUN.get() < MOST_NANOS)
        || now - ENDED.get() < LINGER_NANOS;
  }

  /**
   * Runs a step that may wait for others, as output does for buffers: that is not urgent. For a
   * short step it makes no difference.
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
