package org.flowmon.archive.maintenance;

import org.flowmon.archive.segment.SealedSegment;

/**
 * The time slice of a row, by its {@link org.flowmon.archive.segment.TimeKey}: a UTC day, or {@link
 * #STRAY} for a row that arrived more than 31 days later. Compaction never mixes slices in one
 * segment, so a late row stretches no segment's times. All strays share one slice, so a clock from
 * 1970 does not make a segment of each of its days.
 */
final class CompactionSlice {
  /** The slice of rows whose time cannot be true. */
  static final long STRAY = Long.MIN_VALUE;

  /** The result of {@link #of(SealedSegment)} for a segment with several slices. */
  static final long MIXED = Long.MAX_VALUE;

  private static final long DAY_MICROS = 24L * 3600 * 1_000_000;
  private static final long MAX_SKEW_MICROS = 31 * DAY_MICROS;

  private CompactionSlice() {}

  /** The slice of a row, times in µs. */
  static long of(long timeKey, long arrival) {
    long skew = timeKey - arrival;
    boolean overflows = ((timeKey ^ arrival) & (timeKey ^ skew)) < 0;
    return overflows || skew < -MAX_SKEW_MICROS ? STRAY : Math.floorDiv(timeKey, DAY_MICROS);
  }

  /** The day of all rows of a segment; {@link #MIXED} if it has several, maybe those of strays. */
  static long of(SealedSegment segment) {
    long first = Math.floorDiv(segment.timeKey().min(), DAY_MICROS);
    return first == Math.floorDiv(segment.timeKey().max(), DAY_MICROS) ? first : MIXED;
  }

  /** Whether only late rows can still come to a slice, given the newest arrival. */
  static boolean isOver(long slice, long newestArrival) {
    return slice != MIXED
        && slice < Math.floorDiv(newestArrival, DAY_MICROS)
        && (slice + 1) * DAY_MICROS + DAY_MICROS / 12 < newestArrival;
  }
}
