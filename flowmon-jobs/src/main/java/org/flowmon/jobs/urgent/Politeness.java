package org.flowmon.jobs.urgent;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets {@link UrgentWork} go first: work in the background runs it now and then, and waits there
 * while some runs. It waits no longer than it worked before, so that it has half of the time
 * whatever else there is, and not in a hurry. Of one thread at a time.
 */
public final class Politeness implements Runnable {
  private static final Duration MOST = Duration.ofSeconds(2);
  private static final long LOOK_NANOS = 1_000_000;

  private final BooleanSupplier hurry;
  private final long mostNanos;
  private long last = System.nanoTime();
  private long patience;
  private final AtomicLong waitedNanos = new AtomicLong();

  /**
   * Begins.
   *
   * @param hurry whether somebody waits for this work itself, so that it does not wait; asked on
   *     the thread that works
   */
  public Politeness(BooleanSupplier hurry) {
    this(hurry, MOST);
  }

  /**
   * Likewise.
   *
   * @param most how long it waits at a time, at most
   */
  public Politeness(BooleanSupplier hurry, Duration most) {
    this.hurry = hurry;
    this.mostNanos = most.toNanos();
  }

  @Override
  public void run() {
    long begun = System.nanoTime();
    patience = Math.min(mostNanos, patience + begun - last);
    last = begun;
    while (patience > 0
        && UrgentWork.isRunning()
        && !hurry.getAsBoolean()
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(LOOK_NANOS);
      long now = System.nanoTime();
      patience -= now - last;
      waitedNanos.addAndGet(now - last);
      last = now;
    }
  }

  /** How long it has waited so far; asked on any thread. */
  public long waitedNanos() {
    return waitedNanos.get();
  }
}
