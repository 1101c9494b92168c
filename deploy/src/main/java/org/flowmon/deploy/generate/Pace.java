package org.flowmon.deploy.generate;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Makes a run keep time with the clock. Not thread-safe. */
final class Pace {
  private static final long SHORTEST_NANOS = 500_000;
  private static final long LONGEST_NANOS = 200_000_000;

  private final Kind kind;
  private final double millisPerFlow;
  private long startNanos;
  private long firstMillis;
  private long flows;

  private enum Kind {
    NONE,
    OWN,
    RATE
  }

  private Pace(Kind kind, double millisPerFlow) {
    this.kind = kind;
    this.millisPerFlow = millisPerFlow;
  }

  /** As fast as it can. */
  static Pace none() {
    return new Pace(Kind.NONE, 0);
  }

  /** The flows' own timing. */
  static Pace own() {
    return new Pace(Kind.OWN, 0);
  }

  static Pace of(double flowsPerSecond) {
    return new Pace(Kind.RATE, 1000 / flowsPerSecond);
  }

  /** Waits until the next flow, exported at {@code now}, is due, unless the run is stopped. */
  void await(long nowMillis, BooleanSupplier isStopped) {
    if (kind == Kind.NONE) {
      return;
    }
    if (flows == 0) {
      startNanos = System.nanoTime();
      firstMillis = nowMillis;
    }
    double dueMillis =
        kind == Kind.OWN ? (double) (nowMillis - firstMillis) : flows * millisPerFlow;
    flows++;
    long due = startNanos + (long) (dueMillis * 1e6);
    for (long left = due - System.nanoTime();
        left > SHORTEST_NANOS && !isStopped.getAsBoolean();
        left = due - System.nanoTime()) {
      LockSupport.parkNanos(Math.min(left, LONGEST_NANOS));
    }
  }
}
