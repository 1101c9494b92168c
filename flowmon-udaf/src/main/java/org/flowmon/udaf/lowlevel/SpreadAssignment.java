package org.flowmon.udaf.lowlevel;

import java.util.Arrays;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.vector.Vector;

/**
 * Divides flows among the panes of their activity, [start_time, end_time), in proportion to time. A
 * pane gets the flow's traffic up to its end, rounded down, less that up to its beginning: the
 * shares add up to the flow's total to the byte. A flow without one of the times, or whose start is
 * not before its end, stays whole in its usual pane.
 *
 * <p>The shares of late or closed panes are lost; the flow is then partly late, or late if no share
 * is left. Only panes that are not late are looked at: at most (lateness + width + ahead) / slide
 * and two.
 */
final class SpreadAssignment {
  /** Takes shares when there are many, and at the end. */
  interface Shares {
    /** Valid during the call. */
    void take(SpreadRows rows);
  }

  private final WindowSpec window;
  private final PaneAssignment assignment;
  private final SpreadRows rows = new SpreadRows();
  private final long[] starts = new long[Vector.CAPACITY];
  private final long[] ends = new long[Vector.CAPACITY];
  private final long[] arrivals = new long[Vector.CAPACITY];
  private final long[] started = new long[Vector.CAPACITY / 64];
  private final long[] ended = new long[Vector.CAPACITY / 64];

  SpreadAssignment(WindowSpec window, PaneAssignment assignment) {
    this.window = window;
    this.assignment = assignment;
  }

  /** Divides flows, relative to {@code from}; returns how many have a share in some pane. */
  int assign(FlowBatch batch, int from, int count, int[] selection, int n, Shares out) {
    batch.readLongs(FlowColumn.ARRIVAL, from, count, arrivals);
    read(batch, FlowColumn.END_TIME, from, count, ends, ended);
    read(batch, FlowColumn.START_TIME, from, count, starts, started);
    rows.begin(batch, from, count);
    int counted = 0;
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      boolean hasEnd = (ended[i >>> 6] >>> i & 1) != 0;
      boolean hasStart = (started[i >>> 6] >>> i & 1) != 0;
      boolean isDivided =
          hasEnd
              && hasStart
              && starts[i] < ends[i]
              && starts[i] >= ends[i] - WindowSpec.MAX_FLOW_MICROS;
      if (isDivided) {
        counted += divide(i, out) ? 1 : 0;
      } else {
        Pane pane = assignment.paneOf(hasEnd ? ends[i] : arrivals[i], arrivals[i]);
        if (pane != null) {
          rows.add(i, pane);
          counted++;
          flushIfFull(out);
        }
      }
    }
    flush(out);
    return counted;
  }

  private static void read(
      FlowBatch batch, FlowColumn column, int from, int count, long[] values, long[] validity) {
    if (batch.presence(column) == Presence.ABSENT) {
      Arrays.fill(validity, 0);
    } else {
      batch.readLongs(column, from, count, values);
      batch.readValidity(column, from, count, validity);
    }
  }

  private boolean divide(int flow, Shares out) {
    long start = starts[flow];
    long end = ends[flow];
    long arrival = arrivals[flow];
    if (assignment.isAhead(end, arrival)) {
      assignment.countAhead(arrival);
      return false;
    }
    if (assignment.isTooEarly(end, arrival)) {
      assignment.countLate(arrival);
      return false;
    }
    long begin = window.paneStart(start);
    long last = window.paneStart(end - 1);
    long first = Math.max(begin, window.firstPaneInTime(arrival));
    if (first > last) {
      assignment.countLate(arrival);
      return false;
    }
    rows.skip(flow, Math.max(0, first - start), end - start);
    boolean isCounted = false;
    boolean isWhole = first == begin;
    for (long pane = first; pane <= last; pane += window.slideMicros()) {
      Pane of = assignment.place(pane, arrival);
      rows.add(flow, Math.min(pane + window.slideMicros(), end) - start, end - start, of);
      isCounted |= of != null;
      isWhole &= of != null && of.fromWindowEnd == window.firstWindowEnd(pane);
      flushIfFull(out);
    }
    if (!isCounted) {
      assignment.countClosed(arrival);
    } else if (!isWhole) {
      assignment.partlyLate++;
    }
    return isCounted;
  }

  private void flushIfFull(Shares out) {
    if (rows.isFull()) {
      flush(out);
    }
  }

  private void flush(Shares out) {
    if (rows.rows() > 0) {
      out.take(rows);
      rows.clear();
    }
  }
}
