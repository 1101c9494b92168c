package org.flowmon.udaf.lowlevel;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Counts a batch's filtered flows by the pane of their arrival: all, late, ahead of time, and
 * sampled, whose bytes and packets are estimates, however exact their sums ({@code sampling_rate}
 * above 1). Most batches arrived within one pane: their flows are counted many at a time.
 */
final class ArrivedFlows {
  private final WindowSpec window;
  // Counts of all panes but the last.
  private final Map<Long, Arrived> others = new HashMap<>();
  private final long[] arrivals = new long[Vector.CAPACITY];
  private long[] widths = {};
  // Of no arrival.
  private final Arrived none = new Arrived(0, 0, 0);
  // For the batch's largest arrival, mostly that of the previous batch; none without rows.
  private Arrived last = none;
  private Arrived latest = none;
  // For all rows; null if rows must be looked at one by one.
  private @Nullable Arrived only;

  /** Counts of one pane. */
  private static final class Arrived {
    private final long start;
    private final long end;
    private long flows;
    // Late for windows of any width; further late flows by width, in the order of widths.
    private long late;
    private long[] lateOf;
    private long ahead;
    private long sampled;
    private long highestRate;

    private Arrived(long start, long end, int widths) {
      this.start = start;
      this.end = end;
      this.lateOf = new long[widths];
    }

    private boolean holds(long arrival) {
      return arrival >= start && arrival < end;
    }

    private void clear() {
      flows = 0;
      late = 0;
      Arrays.fill(lateOf, 0);
      ahead = 0;
      sampled = 0;
      highestRate = 0;
    }

    private void addSampled(long rate, int n) {
      if (rate > 1) {
        sampled += n;
        highestRate = Math.max(highestRate, rate);
      }
    }
  }

  /** Takes any window specification with these panes. */
  ArrivedFlows(WindowSpec window) {
    this.window = window;
  }

  /** Sets the widths of the windows from now on; keeps the counts of remaining widths. */
  void setWidths(long[] micros) {
    setWidths(last, micros);
    others.values().forEach(pane -> setWidths(pane, micros));
    widths = micros.clone();
  }

  private void setWidths(Arrived pane, long[] micros) {
    long[] late = new long[micros.length];
    for (int i = 0; i < micros.length; i++) {
      int before = indexOf(micros[i]);
      late[i] = before < 0 ? 0 : pane.lateOf[before];
    }
    pane.lateOf = late;
  }

  private int indexOf(long width) {
    for (int i = 0; i < widths.length; i++) {
      if (widths[i] == width) {
        return i;
      }
    }
    return -1;
  }

  void begin(FlowBatch batch) {
    if (!others.isEmpty()) {
      others.clear();
    }
    if (batch.rows() == 0) {
      last = none;
      return;
    }
    long arrival = batch.maxArrival();
    if (last.holds(arrival)) {
      last.clear();
    } else {
      last = pane(window.arrivalPane(arrival));
    }
    latest = last;
    only = last.holds(arrival) && last.holds(batch.minArrival()) ? last : null;
  }

  private Arrived pane(long start) {
    return new Arrived(start, start + window.slideMicros(), widths.length);
  }

  private Arrived of(long arrival) {
    if (!latest.holds(arrival)) {
      latest = find(window.arrivalPane(arrival));
    }
    return latest;
  }

  private Arrived find(long start) {
    return start == last.start ? last : others.computeIfAbsent(start, this::pane);
  }

  /** Counts {@code n} chosen rows, relative to {@code from}. */
  void add(FlowBatch batch, int from, int count, int[] chosen, int n) {
    if (n == 0) {
      return;
    }
    Presence rates = batch.presence(FlowColumn.SAMPLING_RATE);
    if (only == null) {
      addByRow(batch, from, count, chosen, n, rates != Presence.ABSENT);
      return;
    }
    only.flows += n;
    if (rates == Presence.CONSTANT) {
      only.addSampled(batch.getLong(FlowColumn.SAMPLING_RATE, from), n);
    } else if (rates != Presence.ABSENT) {
      for (int i = 0; i < n; i++) {
        addSampled(only, batch, from + chosen[i]);
      }
    }
  }

  private void addByRow(
      FlowBatch batch, int from, int count, int[] chosen, int n, boolean hasRates) {
    batch.readLongs(FlowColumn.ARRIVAL, from, count, arrivals);
    for (int i = 0; i < n; i++) {
      Arrived pane = of(arrivals[chosen[i]]);
      pane.flows++;
      if (hasRates) {
        addSampled(pane, batch, from + chosen[i]);
      }
    }
  }

  private static void addSampled(Arrived pane, FlowBatch batch, int row) {
    if (!batch.isNull(FlowColumn.SAMPLING_RATE, row)) {
      pane.addSampled(batch.getLong(FlowColumn.SAMPLING_RATE, row), 1);
    }
  }

  /** Counts a flow as too late for windows of any width. */
  void late(long arrival) {
    of(arrival).late++;
  }

  void late(long arrival, int width) {
    of(arrival).lateOf[width]++;
  }

  void ahead(long arrival) {
    of(arrival).ahead++;
  }

  /** Passes on the batch's counts for windows of a width, by pane. */
  void forEach(long width, LowLevelMember.Arrivals to) {
    if (last == none) {
      return;
    }
    int index = indexOf(width);
    give(last, index, to);
    others.values().forEach(pane -> give(pane, index, to));
  }

  private static void give(Arrived pane, int width, LowLevelMember.Arrivals to) {
    long late = pane.late + (width < 0 ? 0 : pane.lateOf[width]);
    to.pane(pane.start, pane.flows, late, pane.ahead, pane.sampled, pane.highestRate);
  }
}
