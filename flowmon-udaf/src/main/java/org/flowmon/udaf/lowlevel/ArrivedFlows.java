package org.flowmon.udaf.lowlevel;

import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.vector.Vector;

/**
 * Counts the flows of a batch that the filter kept, by the pane of their arrival: how many there
 * were, and how many of them were too late, ahead of time, or from sampled packets ({@code
 * sampling_rate} above 1: what they say of bytes and packets is an estimate, however exact its sums
 * are). Most batches arrived within one pane, and their flows are counted many at a time.
 */
final class ArrivedFlows {
  private final WindowSpec window;
  // Those beside the last.
  private final Map<Long, Arrived> others = new HashMap<>();
  private final long[] arrivals = new long[Vector.CAPACITY];
  private long[] widths = {};
  // That of the batch's largest arrival, which is mostly that of the batch before, too; null
  // without rows.
  private Arrived last;
  // The one of the last row.
  private Arrived latest;
  // That of all rows; null where they are to be looked at one by one.
  private Arrived only;

  /** Counts of one pane. */
  private static final class Arrived {
    private final long start;
    private final long end;
    private long flows;
    // Whatever the windows' width; of some widths, in their order, besides.
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

  /**
   * No batch yet.
   *
   * @param window any of those that have these panes
   */
  ArrivedFlows(WindowSpec window) {
    this.window = window;
  }

  /** Says which widths the windows have from now on; what was counted of those that stay, stays. */
  void setWidths(long[] micros) {
    if (last != null) {
      setWidths(last, micros);
    }
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

  /** Begins with another batch. */
  void begin(FlowBatch batch) {
    if (!others.isEmpty()) {
      others.clear();
    }
    if (batch.rows() == 0) {
      last = null;
      return;
    }
    long arrival = batch.maxArrival();
    if (last != null && last.holds(arrival)) {
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

  /**
   * Counts some of the rows from {@code from} on.
   *
   * @param chosen their places after {@code from}, the first {@code n}
   */
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

  /** Counts a flow as too late for windows of one width, given by its place among these. */
  void late(long arrival, int width) {
    of(arrival).lateOf[width]++;
  }

  /** Counts a flow as ahead of time. */
  void ahead(long arrival) {
    of(arrival).ahead++;
  }

  /** Gives the counts of the batch for windows of a width, by pane. */
  void forEach(long width, LowLevelMember.Arrivals to) {
    if (last == null) {
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
