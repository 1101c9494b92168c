package org.flowmon.archive.segment;

/**
 * The time that rows are sorted, merged and expired by: {@code end_time}, but no later than an hour
 * after {@code arrival}, and {@code arrival} if {@code end_time} is NULL. So a flow from a clock
 * in the future grows old like any other, and evicts none.
 */
public final class TimeKey {
  /** How far {@code end_time} may be ahead of {@code arrival} and still count, µs. */
  public static final long MAX_AHEAD_MICROS = 3600L * 1_000_000;

  private TimeKey() {}

  /** The key of a row whose {@code end_time} is known, in µs. */
  public static long of(long endTime, long arrival) {
    return Math.min(endTime, latest(arrival));
  }

  /** The latest key of a row that arrived then. */
  public static long latest(long arrival) {
    return arrival > Long.MAX_VALUE - MAX_AHEAD_MICROS
        ? Long.MAX_VALUE
        : arrival + MAX_AHEAD_MICROS;
  }
}
