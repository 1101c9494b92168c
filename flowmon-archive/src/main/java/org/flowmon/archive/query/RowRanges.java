package org.flowmon.archive.query;

import java.util.Arrays;
import org.flowmon.archive.segment.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.query.LongRanges;

/**
 * Runs of rows of a segment, ascending and disjoint: those within the times that a query asks for.
 */
final class RowRanges {
  private final int[] from;
  private final int[] to;
  private final long total;

  private RowRanges(int[] from, int[] to) {
    this.from = from;
    this.to = to;
    long sum = 0;
    for (int i = 0; i < from.length; i++) {
      sum += to[i] - from[i];
    }
    this.total = sum;
  }

  static RowRanges all(SegmentReader segment) {
    return new RowRanges(new int[] {0}, new int[] {segment.rows()});
  }

  /** The rows whose {@code end_time} may be in the times: segments are sorted by it. */
  static RowRanges within(SegmentReader segment, LongRanges endTimes) {
    EndTimes times = new EndTimes(segment);
    int[] from = new int[endTimes.count()];
    int[] to = new int[endTimes.count()];
    int n = 0;
    for (int i = 0; i < endTimes.count(); i++) {
      if (!segment.sealed().endTime().overlaps(endTimes.first(i), endTimes.last(i))) {
        continue;
      }
      int first = times.lowerBound(endTimes.first(i));
      int end =
          endTimes.last(i) == Long.MAX_VALUE
              ? segment.rows()
              : times.lowerBound(endTimes.last(i) + 1);
      if (first < end) {
        from[n] = first;
        to[n++] = end;
      }
    }
    return new RowRanges(Arrays.copyOf(from, n), Arrays.copyOf(to, n));
  }

  int count() {
    return from.length;
  }

  int from(int i) {
    return from[i];
  }

  int to(int i) {
    return to[i];
  }

  /** Rows of all ranges. */
  long total() {
    return total;
  }

  /** The times that a segment is sorted by: {@code end_time}, where it is NULL {@code arrival}. */
  private static final class EndTimes {
    private final SegmentReader segment;
    private final boolean nullable;
    private final long[] value = new long[1];

    EndTimes(SegmentReader segment) {
      this.segment = segment;
      this.nullable = segment.presence(FlowColumn.END_TIME) == Presence.NULLABLE;
    }

    private long at(int row) {
      FlowColumn column = FlowColumn.END_TIME;
      if (nullable) {
        segment.readValidity(column, row, 1, value);
        column = value[0] != 0 ? column : FlowColumn.ARRIVAL;
      }
      segment.readLongs(column, row, 1, value);
      return value[0];
    }

    /** The first row whose time is at least this one. */
    int lowerBound(long time) {
      int low = 0;
      int high = segment.rows();
      while (low < high) {
        int middle = (low + high) >>> 1;
        if (at(middle) < time) {
          low = middle + 1;
        } else {
          high = middle;
        }
      }
      return low;
    }
  }
}
