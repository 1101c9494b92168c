package org.flowmon.archive.segment;

/** A column's times, both ends included, in µs since 1970 UTC; {@link #NONE} if all are null. */
public record TimeRange(long min, long max) {
  public static final TimeRange NONE = new TimeRange(Long.MAX_VALUE, Long.MIN_VALUE);

  public boolean isEmpty() {
    return min > max;
  }

  /** The smallest range with both. */
  public TimeRange union(TimeRange other) {
    return new TimeRange(Math.min(min, other.min), Math.max(max, other.max));
  }

  /** Whether a time within [from, to], both included, may be in this range. */
  public boolean overlaps(long from, long to) {
    return min <= to && from <= max;
  }
}
