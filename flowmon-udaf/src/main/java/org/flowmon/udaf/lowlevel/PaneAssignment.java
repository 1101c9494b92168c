package org.flowmon.udaf.lowlevel;

import java.util.Arrays;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Assigns flows to panes by a {@link WindowSpec}: row by row, or a whole batch if its header says
 * that all its flows are on time and of one pane.
 */
final class PaneAssignment {
  // Of the widest windows.
  private WindowSpec window;
  private final PaneSet panes;
  private final FirstPanes first;
  private final ArrivedFlows arrived;
  private final long[] times = new long[Vector.CAPACITY];
  private final long[] arrivals = new long[Vector.CAPACITY];
  private final long[] validity = new long[Vector.CAPACITY / 64];

  /** By kept row of {@link #assign}: its pane. */
  final Pane[] paneOf = new Pane[Vector.CAPACITY];

  long watermark = Long.MIN_VALUE;
  // Of flows that are late at any width.
  long late;
  long partlyLate;
  long ahead;
  long behindWatermark;
  private Width[] widths = {};

  /** Counts of flows that were late for the first of their windows, at one width. */
  static final class Width {
    final long micros;
    // Late for all windows of this width; some of these flows are in a pane of wider ones.
    long late;
    long inWider;
    long partlyLate;
    long behindWatermark;

    private Width(long micros) {
      this.micros = micros;
    }

    /** Counts a flow; returns whether it is late for all windows of this width. */
    private boolean count(@Nullable Pane pane, long start, long fromWindowEnd) {
      if (fromWindowEnd > start + micros) {
        late++;
        inWider += pane == null ? 0 : 1;
        return true;
      } else if (pane == null) {
        behindWatermark++;
      } else {
        partlyLate++;
      }
      return false;
    }
  }

  /** Limits panes by {@code first}; tells {@code arrived} of flows without a pane. */
  PaneAssignment(WindowSpec window, PaneSet panes, FirstPanes first, ArrivedFlows arrived) {
    this.window = window;
    this.panes = panes;
    this.first = first;
    this.arrived = arrived;
  }

  /** Resets the counts. From now on flows that are late for the widest windows are dropped. */
  void setWidths(long[] micros) {
    widths = new Width[micros.length];
    for (int i = 0; i < widths.length; i++) {
      widths[i] = new Width(micros[i]);
      if (micros[i] > window.widthMicros()) {
        window = window.withWidth(micros[i]);
      }
    }
    late = 0;
    partlyLate = 0;
    ahead = 0;
    behindWatermark = 0;
    arrived.setWidths(micros);
  }

  Width width(long micros) {
    for (Width width : widths) {
      if (width.micros == micros) {
        return width;
      }
    }
    throw new IllegalArgumentException("no query has windows of " + micros + " us");
  }

  /** The pane of all flows of a batch, null if they must be looked at one by one. */
  @Nullable Pane single(FlowBatch batch) {
    boolean byArrival = window.timeColumn() == FlowColumn.ARRIVAL;
    Presence presence = batch.presence(window.timeColumn());
    if (presence != Presence.DENSE && presence != Presence.CONSTANT) {
      return null;
    }
    long min = byArrival ? batch.minArrival() : batch.minEndTime();
    long max = byArrival ? batch.maxArrival() : batch.maxEndTime();
    if (!WindowSpec.isTime(min)
        || !WindowSpec.isTime(max)
        || !WindowSpec.isTime(batch.minArrival())
        || !WindowSpec.isTime(batch.maxArrival())) {
      return null;
    }
    long start = window.paneStart(min);
    long end = window.firstWindowEnd(start);
    long due = window.due(end, batch.maxArrival(), watermark);
    boolean onTime =
        max < start + window.slideMicros()
            && batch.maxArrival() <= end + window.latenessMicros()
            && max <= batch.minArrival() + window.aheadMicros()
            && due == window.due(end, batch.minArrival(), watermark)
            && !window.isClosed(end, watermark);
    return onTime && first.open(window, start) ? panes.get(start, end, due) : null;
  }

  /**
   * Finds panes; drops rows, relative to {@code from}, without one, counted by reason, and moves
   * the kept ones to the front. Returns their number.
   */
  int assign(FlowBatch batch, int from, int count, int[] selection, int n) {
    batch.readLongs(FlowColumn.ARRIVAL, from, count, arrivals);
    if (window.timeColumn() == FlowColumn.ARRIVAL) {
      Arrays.fill(validity, 0);
    } else {
      batch.readLongs(FlowColumn.END_TIME, from, count, times);
      batch.readValidity(FlowColumn.END_TIME, from, count, validity);
    }
    int kept = 0;
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      boolean timed = (validity[i >>> 6] >>> i & 1) != 0;
      Pane pane = paneOf(timed ? times[i] : arrivals[i], arrivals[i]);
      if (pane != null) {
        paneOf[kept] = pane;
        selection[kept++] = i;
      }
    }
    return kept;
  }

  /** Whether a flow's time or arrival is impossible. */
  boolean isAhead(long time, long arrival) {
    return !WindowSpec.isTime(arrival) || time > arrival + window.aheadMicros();
  }

  /** Whether the time is so early that it is late in any pane, which might not fit 64 bits. */
  boolean isTooEarly(long time, long arrival) {
    return time < arrival - window.latenessMicros() - window.widthMicros();
  }

  /** The pane of a flow; null if it has none, which is counted. */
  @Nullable Pane paneOf(long time, long arrival) {
    if (isAhead(time, arrival)) {
      countAhead(arrival);
      return null;
    }
    if (isTooEarly(time, arrival)) {
      countLate(arrival);
      return null;
    }
    long start = window.paneStart(time);
    if (window.isLate(start, arrival) || !first.open(window, start)) {
      countLate(arrival);
      return null;
    }
    long fromWindowEnd = fromWindowEnd(start, arrival);
    Pane pane = place(start, fromWindowEnd, arrival);
    if (fromWindowEnd > window.firstWindowEnd(start)) {
      for (int i = 0; i < widths.length; i++) {
        if (widths[i].count(pane, start, fromWindowEnd)) {
          arrived.late(arrival, i);
        }
      }
    } else if (pane == null) {
      behindWatermark++;
    }
    return pane;
  }

  /** Flows that arrived at or before the watermark are not expected any more. */
  void reached(long watermarkMicros) {
    watermark = watermarkMicros;
    first.timeIsKnown();
  }

  /** Without an open pane: a source broke its promise or, at first, the pane was one too many. */
  void countClosed(long arrival) {
    if (first.isTimeKnown()) {
      behindWatermark++;
    } else {
      countLate(arrival);
    }
  }

  void countLate(long arrival) {
    late++;
    arrived.late(arrival);
  }

  void countAhead(long arrival) {
    ahead++;
    arrived.ahead(arrival);
  }

  /** For a flow that is not late for it; null if the pane is closed, or does not open. */
  @Nullable Pane place(long start, long arrival) {
    return first.open(window, start) ? place(start, fromWindowEnd(start, arrival), arrival) : null;
  }

  private long fromWindowEnd(long start, long arrival) {
    long first = window.firstWindowEnd(start);
    // Late for the first windows of its pane: the first window on time ends here.
    return arrival > first + window.latenessMicros()
        ? -window.paneStart(-(arrival - window.latenessMicros()))
        : first;
  }

  private @Nullable Pane place(long start, long fromWindowEnd, long arrival) {
    return window.isClosed(fromWindowEnd, watermark)
        ? null
        : panes.get(start, fromWindowEnd, window.due(fromWindowEnd, arrival, watermark));
  }
}
