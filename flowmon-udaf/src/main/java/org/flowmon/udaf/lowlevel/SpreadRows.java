package org.flowmon.udaf.lowlevel;

import java.util.Arrays;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.vector.ChosenRows;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Shares of at most {@link Vector#CAPACITY} flows of a batch, at most that far apart: rows with
 * only the bytes and packets of one pane. Reused. Not thread-safe.
 */
public final class SpreadRows extends ChosenRows {
  private static final FlowColumn[] DIVIDED = {
    FlowColumn.BYTES, FlowColumn.PACKETS, FlowColumn.REVERSE_BYTES, FlowColumn.REVERSE_PACKETS
  };

  final Pane[] panes = new Pane[Vector.CAPACITY];

  private final long[][] shares = new long[DIVIDED.length][Vector.CAPACITY];
  // Of the current flows, by column: totals, read once for each range, and earlier panes' shares.
  private final long[][] totals = new long[DIVIDED.length][Vector.CAPACITY];
  private final long[] given = new long[DIVIDED.length];

  void begin(FlowBatch of, int first, int count) {
    begin(of, first);
    for (int c = 0; c < DIVIDED.length; c++) {
      if (of.presence(DIVIDED[c]) == Presence.ABSENT) {
        Arrays.fill(totals[c], 0, count, 0);
      } else {
        of.readLongs(DIVIDED[c], first, count, totals[c]);
      }
    }
  }

  boolean isFull() {
    return rows == Vector.CAPACITY;
  }

  void clear() {
    rows = 0;
  }

  void add(int flow, Pane pane) {
    for (int c = 0; c < DIVIDED.length; c++) {
      shares[c][rows] = totals[c][flow];
    }
    take(flow, pane);
  }

  private void take(int flow, Pane pane) {
    rowOf[rows] = flow;
    panes[rows++] = pane;
  }

  /** Begins with the shares of a flow from some time on: earlier shares are lost. */
  void skip(int flow, long elapsed, long duration) {
    for (int c = 0; c < DIVIDED.length; c++) {
      given[c] = through(totals[c][flow], elapsed, duration);
    }
  }

  /** Adds a flow's next share, until {@code elapsed} since its start; pane null: it is lost. */
  void add(int flow, long elapsed, long duration, @Nullable Pane pane) {
    for (int c = 0; c < DIVIDED.length; c++) {
      long through = through(totals[c][flow], elapsed, duration);
      if (pane != null) {
        shares[c][rows] = through - given[c];
      }
      given[c] = through;
    }
    if (pane != null) {
      take(flow, pane);
    }
  }

  /**
   * Exactly total · elapsed / duration, rounded down, 0 ≤ elapsed ≤ duration. A total below 0,
   * which no flow has, falls into the end.
   */
  static long through(long total, long elapsed, long duration) {
    if (elapsed == duration) {
      return total;
    }
    if (total <= 0) {
      return 0;
    }
    long high = Math.multiplyHigh(total, elapsed);
    long low = total * elapsed;
    if (high == 0) {
      return low >= 0 ? low / duration : Long.divideUnsigned(low, duration);
    }
    // high < duration, as the quotient is less than the total: bit by bit.
    long quotient = 0;
    long rest = high;
    for (int bit = 0; bit < 64; bit++) {
      rest = rest << 1 | low >>> 63;
      low <<= 1;
      quotient <<= 1;
      if (Long.compareUnsigned(rest, duration) >= 0) {
        rest -= duration;
        quotient |= 1;
      }
    }
    return quotient;
  }

  @Override
  public Presence presence(FlowColumn column) {
    Presence presence = super.presence(column);
    return presence == Presence.CONSTANT && divided(column) >= 0 ? Presence.DENSE : presence;
  }

  private static int divided(FlowColumn column) {
    for (int c = 0; c < DIVIDED.length; c++) {
      if (DIVIDED[c] == column) {
        return c;
      }
    }
    return -1;
  }

  @Override
  public void readLongs(FlowColumn column, int first, int count, long[] out) {
    int divided = divided(column);
    if (divided >= 0) {
      System.arraycopy(shares[divided], first, out, 0, count);
      return;
    }
    super.readLongs(column, first, count, out);
  }
}
