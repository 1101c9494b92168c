package org.flowmon.archive.segment;

/**
 * The time by which rows are sorted, merged and expired: {@code end_time}, but no later than an
 * hour after {@code arrival}, and {@code arrival} if {@code end_time} is NULL. So a flow from a
 * clock in the future ages like any other, and evicts none.
 */
public final class TimeKey {
  /** The maximum lead of {@code end_time} over {@code arrival} that counts, µs. */
  public static final long MAX_AHEAD_MICROS = 3600L * 1_000_000;

  private TimeKey() {}

  /** The key of a row whose {@code end_time} is known, in µs. */
  public static long of(long endTime, long arrival) {
    return Math.min(endTime, latest(arrival));
  }

  public static long latest(long arrival) {
    return arrival > Long.MAX_VALUE - MAX_AHEAD_MICROS
        ? Long.MAX_VALUE
        : arrival + MAX_AHEAD_MICROS;
  }
}
