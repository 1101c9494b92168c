package org.flowmon.archive.compact;

import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;

/**
 * The slice of time that a row belongs to, by its time key ({@code end_time}, or {@code arrival}
 * where that is NULL): a UTC day, or {@link #STRAY} for a row whose clock is more than 31 days from
 * its arrival. Compaction puts no rows of different slices into one segment, so that a late row, or
 * a router in the year 2128, stretches none; and all strays share one slice, so that a broken clock
 * does not make a segment of each of its days.
 */
final class TimeSlice {
  /** The slice of rows whose time cannot be true. */
  static final long STRAY = Long.MIN_VALUE;

  /** What {@link #of(SealedSegment)} says of a segment that holds several slices. */
  static final long MIXED = Long.MAX_VALUE;

  private static final long DAY_MICROS = 24L * 3600 * 1_000_000;
  private static final long MAX_SKEW_MICROS = 31 * DAY_MICROS;

  private TimeSlice() {}

  /** The slice of a row, times in µs. */
  static long of(long timeKey, long arrival) {
    long skew = timeKey - arrival;
    boolean overflows = ((timeKey ^ arrival) & (timeKey ^ skew)) < 0;
    return overflows || skew > MAX_SKEW_MICROS || skew < -MAX_SKEW_MICROS
        ? STRAY
        : Math.floorDiv(timeKey, DAY_MICROS);
  }

  /**
   * The slice of a segment as far as its description tells: the day of all its times, else {@link
   * #MIXED}.
   */
  static long of(SealedSegment segment) {
    TimeRange keys = segment.endTime().isEmpty() ? segment.arrival() : segment.endTime();
    long first = Math.floorDiv(keys.min(), DAY_MICROS);
    return first == Math.floorDiv(keys.max(), DAY_MICROS) ? first : MIXED;
  }

  /** Whether nothing but late rows can still come to a slice, when so much has arrived. */
  static boolean isOver(long slice, long newestArrival) {
    return slice != MIXED
        && slice < Math.floorDiv(newestArrival, DAY_MICROS)
        && (slice + 1) * DAY_MICROS + DAY_MICROS / 12 < newestArrival;
  }
}
