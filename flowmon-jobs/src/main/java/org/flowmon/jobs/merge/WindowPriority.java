package org.flowmon.jobs.merge;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets closing windows, histories and reports go before background work: packing checkpoints,
 * sealing and merging segments. The one {@link #ofProcess} spans its tasks, as they share its
 * cores: a window closes in one while another seals. Thread-safe. Work has priority for some
 * seconds. Longer work, without new work meanwhile, waits for something other than cores, such as a
 * slow store, or is hardly delayed.
 */
public final class WindowPriority {
  // Some milliseconds pass between the work of one operator and the next.
  private static final long LINGER_NANOS = 50_000_000;

  private static final long MOST_NANOS = 3_000_000_000L;
  private static final long MOST_PATIENCE_NANOS = 2_000_000_000;
  private static final long LOOK_NANOS = 1_000_000;

  private static final WindowPriority OF_PROCESS = new WindowPriority();

  private final AtomicInteger running = new AtomicInteger();
  private final AtomicLong ended = new AtomicLong(System.nanoTime() - LINGER_NANOS);
  private final AtomicLong begun = new AtomicLong(System.nanoTime());

  WindowPriority() {}

  public static WindowPriority ofProcess() {
    return OF_PROCESS;
  }

  public Work begin() {
    return new Work();
  }

  private void enter() {
    begun.set(System.nanoTime());
    running.incrementAndGet();
  }

  private void leave() {
    ended.set(System.nanoTime());
    running.decrementAndGet();
  }

  /** Whether work on windows runs, or did a moment ago. */
  boolean isTaken() {
    long now = System.nanoTime();
    return (running.get() > 0 && now - begun.get() < MOST_NANOS)
        || now - ended.get() < LINGER_NANOS;
  }

  /** Work on windows; begun and closed by the same thread. */
  public final class Work implements AutoCloseable {
    private boolean closed;

    private Work() {
      enter();
    }

    /** Runs a step that may wait, as output for buffers, without priority; short ones need not. */
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

  /**
   * Begins background work, which calls the result now and then to wait while windows are worked
   * on: no longer than it worked before, so it gets half of the time whatever else runs. For one
   * thread at a time. {@code hurry}, called on it: another thread waits for it, so it must not
   * wait.
   */
  public Runnable yielding(BooleanSupplier hurry) {
    return new Background(hurry);
  }

  private final class Background implements Runnable {
    private final BooleanSupplier hurry;
    private long last = System.nanoTime();
    private long patience;

    Background(BooleanSupplier hurry) {
      this.hurry = hurry;
    }

    @Override
    public void run() {
      long now = System.nanoTime();
      patience = Math.min(MOST_PATIENCE_NANOS, patience + now - last);
      last = now;
      while (patience > 0
          && isTaken()
          && !hurry.getAsBoolean()
          && !Thread.currentThread().isInterrupted()) {
        LockSupport.parkNanos(LOOK_NANOS);
        now = System.nanoTime();
        patience -= now - last;
        last = now;
      }
    }
  }
}
