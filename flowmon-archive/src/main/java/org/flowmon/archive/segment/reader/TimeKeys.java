package org.flowmon.archive.segment.reader;

import org.flowmon.archive.segment.TimeKey;
import org.flowmon.archive.sorted.BinarySearch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;

/** The {@link TimeKey}s of a segment, by which its rows are sorted. Not thread-safe. */
public final class TimeKeys {
  private final SegmentReader segment;
  private final boolean nullable;
  private final long[] value = new long[1];

  public TimeKeys(SegmentReader segment) {
    this.segment = segment;
    this.nullable =
        segment.presence(FlowColumn.END_TIME) != Presence.DENSE
            && segment.presence(FlowColumn.END_TIME) != Presence.CONSTANT;
  }

  /** The key of a row, µs. */
  public long at(int row) {
    boolean known = true;
    if (nullable) {
      segment.readValidity(FlowColumn.END_TIME, row, 1, value);
      known = (value[0] & 1) != 0;
    }
    if (!known) {
      return arrival(row);
    }
    segment.readLongs(FlowColumn.END_TIME, row, 1, value);
    long end = value[0];
    return segment.clampedRows() == 0 ? end : TimeKey.of(end, arrival(row));
  }

  private long arrival(int row) {
    segment.readLongs(FlowColumn.ARRIVAL, row, 1, value);
    return value[0];
  }

  /** The first row whose key is at least {@code time} (µs), the number of rows if none is. */
  public int lowerBound(long time) {
    return BinarySearch.first(0, segment.rows(), row -> at(row) >= time);
  }
}
