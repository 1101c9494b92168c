package org.flowmon.archive.retention;

import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.flow.time.FlowTime;

/**
 * The newest plausible arrival, from which ages are counted back. One more than an hour in the
 * future comes from a wrong clock, and must not age everything else. Of a segment with such an
 * arrival, only the first is used. Not thread-safe.
 */
public final class NewestArrival {
  private static final long HOUR_MICROS = 3_600_000_000L;

  private final long latest;
  private long newest = Long.MIN_VALUE;

  /** Starts without arrivals; those up to an hour after {@code clock} (now, µs) count. */
  NewestArrival(long clock) {
    this.latest = clock + HOUR_MICROS;
  }

  public static NewestArrival asOfNow() {
    return new NewestArrival(FlowTime.now());
  }

  /** Later arrivals (µs) are ignored. */
  public long latest() {
    return latest;
  }

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
