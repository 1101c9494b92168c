package org.flowmon.archive.retention;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import org.flowmon.archive.segment.SealedSegment;

/**
 * The newest arrival that can be true: ages are counted back from it. One that lies more than an
 * hour in the future comes from a wrong clock, and must not let everything else grow old. If a
 * segment holds such, its first arrival is all that is known of the others. Not thread-safe.
 */
public final class NewestArrival {
  private static final long HOUR_MICROS = 3_600_000_000L;

  private final long latest;
  private long newest = Long.MIN_VALUE;

  /**
   * None yet.
   *
   * @param clock now, µs; later arrivals count up to an hour from it
   */
  NewestArrival(long clock) {
    this.latest = clock + HOUR_MICROS;
  }

  /** None yet, by this machine's clock. */
  public static NewestArrival asOfNow() {
    return new NewestArrival(ChronoUnit.MICROS.between(Instant.EPOCH, Instant.now()));
  }

  /** No later arrival is believed, µs. */
  public long latest() {
    return latest;
  }

  /** Takes the arrivals of a segment. */
  public void add(SealedSegment segment) {
    add(segment.arrival().min(), segment.arrival().max());
  }

  /** Takes a first and a last arrival, µs. */
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
