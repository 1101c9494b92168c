package org.flowmon.archive.retention;

import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.time.FlowTime;

/**
 * The newest plausible arrival, from which ages are counted back. One more than an hour in the
 * future comes from a wrong clock, and must not age everything else. If a segment holds such an
 * arrival, only its first arrival is used. Not thread-safe.
 */
public final class NewestArrival {
  private static final long HOUR_MICROS = 3_600_000_000L;

  private final long latest;
  private long newest = Long.MIN_VALUE;

  /**
   * Starts without arrivals.
   *
   * @param clock now, µs; arrivals up to an hour later count
   */
  NewestArrival(long clock) {
    this.latest = clock + HOUR_MICROS;
  }

  /** Starts without arrivals, with this machine's clock. */
  public static NewestArrival asOfNow() {
    return new NewestArrival(FlowTime.now());
  }

  /** Later arrivals (µs) are ignored. */
  public long latest() {
    return latest;
  }

  /** Adds the arrivals of a segment. */
  public void add(SealedSegment segment) {
    add(segment.arrival().min(), segment.arrival().max());
  }

  /** Adds a first and a last arrival, µs. */
  public void add(long first, long last) {
    if (last <= latest) {
      newest = Math.max(newest, last);
    } else if (first <= latest) {
      newest = Math.max(newest, first);
    }
  }

  /** The newest of them, {@link Long#MIN_VALUE} if there is none. */
  public long get() {
    return newest;
  }
}
