package org.flowmon.archive.segment;

/**
 * The times of a column, both ends included, in microseconds since 1970-01-01T00:00:00Z. {@link
 * #NONE} if every value is null.
 */
public record TimeRange(long min, long max) {
  /** The empty range. */
  public static final TimeRange NONE = new TimeRange(Long.MAX_VALUE, Long.MIN_VALUE);

  public boolean isEmpty() {
    return min > max;
  }

  /** Whether a time within [from, to], both included, may be in this range. */
  public boolean overlaps(long from, long to) {
    return min <= to && from <= max;
  }
}
