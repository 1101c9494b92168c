package org.flowmon.jobs.urgent;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Lets {@link UrgentWork} go first: background work calls it now and then, and waits in the call
 * while urgent work runs. It waits no longer than it worked before, so it gets half of the time
 * whatever else runs; it does not wait when in a hurry. Used by one thread at a time.
 */
public final class Politeness implements Runnable {
  private static final long MOST_NANOS = 2_000_000_000;
  private static final long LOOK_NANOS = 1_000_000;

  private final BooleanSupplier hurry;
  private long last = System.nanoTime();
  private long patience;

  /**
   * Begins background work.
   *
   * @param hurry whether another thread waits for this work itself, so that it must not wait;
   *     called on the working thread
   */
  public Politeness(BooleanSupplier hurry) {
    this.hurry = hurry;
  }

  @Override
  public void run() {
    long begun = System.nanoTime();
    patience = Math.min(MOST_NANOS, patience + begun - last);
    last = begun;
    while (patience > 0
        && UrgentWork.isRunning()
        && !hurry.getAsBoolean()
        && !Thread.currentThread().isInterrupted()) {
      LockSupport.parkNanos(LOOK_NANOS);
      long now = System.nanoTime();
      patience -= now - last;
      last = now;
    }
  }
}
