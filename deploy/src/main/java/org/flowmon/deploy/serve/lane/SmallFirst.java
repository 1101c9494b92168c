package org.flowmon.deploy.serve.lane;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Makes large queries wait while small work runs, if both together would take the last processor:
 * one stays for the server's other threads, which move bytes, compile and collect garbage. A large
 * query waits at most {@value #PATIENCE} times as long as it worked before, so however much small
 * work there is, it gets a quarter of a processor's time.
 */
final class SmallFirst {
  /** The time, and how it passes. */
  interface Clock {
    long nanos();

    void pause(long nanos);

    Clock SYSTEM =
        new Clock() {
          @Override
          public long nanos() {
            return System.nanoTime();
          }

          @Override
          public void pause(long nanos) {
            LockSupport.parkNanos(nanos);
          }
        };
  }

  static final int PATIENCE = 3;
  private static final long MOST_PATIENCE_NANOS = 2_000_000_000;
  private static final long LOOK_NANOS = 500_000;

  private final int processors;
  private final Clock clock;
  private final AtomicInteger small = new AtomicInteger();
  private final AtomicInteger large = new AtomicInteger(); // without those that wait here
  private final LongAdder waited = new LongAdder();

  SmallFirst(int processors, Clock clock) {
    this.processors = processors;
    this.clock = clock;
  }

  /** Not a replay, for which large queries would wait minutes. */
  private static boolean isQuery(Lane lane) {
    return lane == Lane.SMALL || lane == Lane.LARGE;
  }

  /** A thread of the lane begins some work. */
  void begin(Lane lane) {
    if (isQuery(lane)) {
      int unused = of(lane).incrementAndGet();
    }
  }

  void end(Lane lane) {
    if (isQuery(lane)) {
      int unused = of(lane).decrementAndGet();
    }
  }

  private AtomicInteger of(Lane lane) {
    return lane == Lane.SMALL ? small : large;
  }

  /** How long large queries waited, all together. */
  long waitedNanos() {
    return waited.sum();
  }

  /** {@code others}: large queries that run, without the one that asks. */
  private boolean isTurnOfSmall(int others) {
    int running = small.get();
    return running > 0 && running + others + 1 >= processors;
  }

  /**
   * What one thread of a large query calls for each block of its work.
   *
   * @param isGone whether it need not go on
   */
  Runnable yielding(BooleanSupplier isGone) {
    return new Yielding(isGone);
  }

  private final class Yielding implements Runnable {
    private final BooleanSupplier isGone;
    private long last = clock.nanos();

    Yielding(BooleanSupplier isGone) {
      this.isGone = isGone;
    }

    @Override
    public void run() {
      if (!isTurnOfSmall(large.get() - 1)) {
        return; // without a look at the clock: this is called often
      }
      long begun = clock.nanos();
      long end = begun + Math.min(MOST_PATIENCE_NANOS, PATIENCE * (begun - last));
      if (end - begun < LOOK_NANOS) {
        return;
      }
      long now = begun;
      int unused = large.decrementAndGet(); // others see that one waits, and need not
      try {
        while (now < end
            && isTurnOfSmall(large.get())
            && !isGone.getAsBoolean()
            && !Thread.currentThread().isInterrupted()) {
          clock.pause(Math.min(LOOK_NANOS, end - now));
          now = clock.nanos();
        }
      } finally {
        unused = large.incrementAndGet();
      }
      waited.add(now - begun);
      last = now;
    }
  }
}
