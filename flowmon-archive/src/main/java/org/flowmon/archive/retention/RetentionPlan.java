package org.flowmon.archive.retention;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The rows that a commit hides: those below the cutoff, those too old, the oldest beyond the number
 * of rows, then of bytes. Each step only hides more, so the strictest limit decides.
 */
public final class RetentionPlan {
  private final int[] firstRows;
  private final long cutoff;
  private final long lateRows;
  private final @Nullable TimestampHistogram keys;

  private RetentionPlan(
      int[] firstRows, long cutoff, long lateRows, @Nullable TimestampHistogram keys) {
    this.firstRows = firstRows;
    this.cutoff = cutoff;
    this.lateRows = lateRows;
    this.keys = keys;
  }

  /** The first visible row of a segment, its number of rows if none is visible. */
  public int firstRow(int segment) {
    return firstRows[segment];
  }

  public long cutoff() {
    return cutoff;
  }

  /** Rows of new segments that were below the previous cutoff. */
  public long lateRows() {
    return lateRows;
  }

  /**
   * Time keys to count: of new rows that are not late and, if none were known, of rows visible
   * before. Null if nothing is limited.
   */
  public @Nullable TimestampHistogram keys() {
    return keys;
  }

  /**
   * Makes a plan.
   *
   * @param segments those of the archive in their order, then the new ones
   * @param known number of segments before the new ones
   * @param cutoff before the commit
   * @param newestArrival newest plausible arrival (µs) of all rows ever committed, with new ones
   * @param keys of the visible rows of known segments, not changed; null if unknown, then counted
   */
  public static RetentionPlan of(
      RetentionOptions options,
      List<SegmentKeys> segments,
      int known,
      long cutoff,
      long newestArrival,
      @Nullable TimestampHistogram keys) {
    CutoffSearch search = new CutoffSearch(segments, Long.MIN_VALUE);
    search.hideBefore(cutoff);
    long late = 0;
    for (int i = known; i < segments.size(); i++) {
      late += search.firstRows()[i];
    }
    TimestampHistogram added = options.isLimited() ? new TimestampHistogram() : null;
    if (added != null) {
      for (int i = keys == null ? 0 : known; i < segments.size(); i++) {
        segments.get(i).count(search.firstRows()[i], added);
        segments.get(i).release();
      }
    }
    if (options.ageMicros() > 0 && newestArrival >= Long.MIN_VALUE + options.ageMicros()) {
      search.hideBefore(newestArrival - options.ageMicros());
    }
    if (options.rows() > 0 && added != null) {
      search.hideUntil(RetentionPlan::rows, options.rows(), deciding(options.rows(), keys, added));
    }
    if (options.bytes() > 0) {
      search.hideUntil(RetentionPlan::bytes, options.bytes(), null);
    }
    return new RetentionPlan(search.firstRows(), search.cutoff(), late, added);
  }

  /** The bucket of the last hidden key: the first beyond the rows that are kept. */
  private static TimestampHistogram.@Nullable Interval deciding(
      long rows, @Nullable TimestampHistogram keys, TimestampHistogram added) {
    TimestampHistogram all = added;
    if (keys != null) {
      all = keys.copy();
      all.add(added);
    }
    return all.newest(rows + 1);
  }

  private static long rows(SegmentKeys segment, int firstRow) {
    return (long) segment.segment().rows() - firstRow;
  }

  /** The rows' part of the bytes of both files, rounded up. */
  private static long bytes(SegmentKeys segment, int firstRow) {
    int rows = segment.segment().rows();
    long bytes = segment.segment().bytesOnDisk();
    long visible = (long) rows - firstRow;
    // Up to 2^24 rows: the product overflows only if a file has half a terabyte.
    return bytes / rows * visible + (bytes % rows * visible + rows - 1) / rows;
  }
}
