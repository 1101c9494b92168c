package org.flowmon.archive.query.plan;

import java.util.Arrays;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.TimeKeys;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.set.LongRanges;

/** Runs of rows of a segment, ascending and disjoint: those within the times of a query. */
public final class RowRanges {
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

  /** The visible rows within the constraints' times; none if a constrained column is missing. */
  public static RowRanges asked(SegmentLease lease, Constraints constraints) {
    SegmentReader segment = lease.rows();
    if (isAbsent(segment, constraints)) {
      return new RowRanges(new int[0], new int[0]);
    }
    LongRanges endTimes = constraints.longs(FlowColumn.END_TIME);
    RowRanges ranges = endTimes == null ? all(segment) : within(segment, endTimes);
    return ranges.visibleFrom(lease.firstRow());
  }

  /** NULL satisfies no constraint. */
  private static boolean isAbsent(SegmentReader segment, Constraints constraints) {
    for (FlowColumn column : FlowColumn.all()) {
      if ((constraints.longs(column) != null || constraints.addresses(column) != null)
          && segment.presence(column) == Presence.ABSENT) {
        return true;
      }
    }
    return false;
  }

  private static RowRanges all(SegmentReader segment) {
    return new RowRanges(new int[] {0}, new int[] {segment.rows()});
  }

  /** The rows whose {@code end_time} may be in the times; segments are sorted by it. */
  public static RowRanges within(SegmentReader segment, LongRanges endTimes) {
    if (segment.clampedRows() > 0 && !endTimes.isEmpty()) {
      return all(segment); // those may end at any later time
    }
    TimeKeys times = new TimeKeys(segment);
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

  public RowRanges visibleFrom(int firstRow) {
    if (firstRow == 0) {
      return this;
    }
    int kept = 0;
    int[] starts = new int[from.length];
    int[] ends = new int[from.length];
    for (int i = 0; i < from.length; i++) {
      if (to[i] > firstRow) {
        starts[kept] = Math.max(from[i], firstRow);
        ends[kept++] = to[i];
      }
    }
    return new RowRanges(Arrays.copyOf(starts, kept), Arrays.copyOf(ends, kept));
  }

  /** Part 0, 1, … of several with about as many rows, in order; together they are all. */
  public RowRanges share(int part, int parts) {
    if (parts == 1) {
      return this;
    }
    long begin = total * part / parts;
    long end = total * (part + 1) / parts;
    int kept = 0;
    int[] starts = new int[from.length];
    int[] ends = new int[from.length];
    long before = 0;
    for (int i = 0; i < from.length; i++) {
      int first = from[i] + (int) Math.max(0, begin - before);
      int last = from[i] + (int) Math.min(to[i] - from[i], end - before);
      if (first < last) {
        starts[kept] = first;
        ends[kept++] = last;
      }
      before += to[i] - from[i];
    }
    return new RowRanges(Arrays.copyOf(starts, kept), Arrays.copyOf(ends, kept));
  }

  public int count() {
    return from.length;
  }

  public int from(int i) {
    return from[i];
  }

  public int to(int i) {
    return to[i];
  }

  public long total() {
    return total;
  }
}
