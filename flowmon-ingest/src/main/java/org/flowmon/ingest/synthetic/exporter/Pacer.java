package org.flowmon.ingest.synthetic.exporter;

import java.util.concurrent.locks.LockSupport;

/**
 * Spreads events evenly in small bursts. After a pause of the JVM it catches up for a limited time
 * and gives up the rest: a long burst would only overrun the receiver.
 */
final class Pacer {
  private final double nanosPerEvent;
  private final int burst;
  private final double catchUpNanos;
  private double due;

  /**
   * Takes {@code eventsPerSecond}: 0 for as fast as possible.
   *
   * @param burst events between two pauses, at least 1
   */
  Pacer(double eventsPerSecond, int burst, double catchUpNanos, long nowNanos) {
    this.nanosPerEvent = eventsPerSecond <= 0 ? 0 : 1e9 / eventsPerSecond;
    this.burst = burst;
    this.catchUpNanos = Math.max(catchUpNanos, burst * nanosPerEvent);
    this.due = nowNanos;
  }

  int burst() {
    return burst;
  }

  void await(int events) {
    if (nanosPerEvent == 0) {
      return;
    }
    due += events * nanosPerEvent;
    long now = System.nanoTime();
    due = Math.max(due, now - catchUpNanos);
    while (due - now > 0) {
      LockSupport.parkNanos((long) (due - now));
      if (Thread.currentThread().isInterrupted()) {
        return;
      }
      now = System.nanoTime();
    }
  }
}
