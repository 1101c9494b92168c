package org.flowmon.udaf.lowlevel;

import java.util.Arrays;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Shares of at most {@link Vector#CAPACITY} flows of a batch, at most that far apart: rows with
 * only the bytes and packets of one pane. Reused. Not thread-safe.
 */
public final class SpreadRows implements FlowRows {
  private static final FlowColumn[] DIVIDED = {
    FlowColumn.BYTES, FlowColumn.PACKETS, FlowColumn.REVERSE_BYTES, FlowColumn.REVERSE_PACKETS
  };

  final Pane[] panes = new Pane[Vector.CAPACITY];

  final int[] all = new int[Vector.CAPACITY];

  private final int[] rowOf = new int[Vector.CAPACITY];
  private final long[][] shares = new long[DIVIDED.length][Vector.CAPACITY];
  // Of the current flows, by column: totals, read once for each range, and earlier panes' shares.
  private final long[][] totals = new long[DIVIDED.length][Vector.CAPACITY];
  private final long[] given = new long[DIVIDED.length];
  private final long[] scratch = new long[Vector.CAPACITY];
  private final long[] lowScratch = new long[Vector.CAPACITY];
  private final long[] words = new long[Vector.CAPACITY / 64];
  private final @Nullable String[] texts = new String[Vector.CAPACITY];

  @SuppressWarnings("NullAway.Init") // begin sets it
  private FlowBatch batch;

  private int from;
  private int rows;

  SpreadRows() {
    Arrays.setAll(all, i -> i);
  }

  void begin(FlowBatch of, int first, int count) {
    batch = of;
    from = first;
    rows = 0;
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
  public int rows() {
    return rows;
  }

  @Override
  public Presence presence(FlowColumn column) {
    Presence presence = batch.presence(column);
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

  /** The number of the batch's rows that some shares span. */
  private int span(int first, int count) {
    return rowOf[first + count - 1] - rowOf[first] + 1;
  }

  @Override
  public void readLongs(FlowColumn column, int first, int count, long[] out) {
    int divided = divided(column);
    if (divided >= 0) {
      System.arraycopy(shares[divided], first, out, 0, count);
      return;
    }
    int base = rowOf[first];
    batch.readLongs(column, from + base, span(first, count), scratch);
    for (int i = 0; i < count; i++) {
      out[i] = scratch[rowOf[first + i] - base];
    }
  }

  @Override
  public void readAddresses(FlowColumn column, int first, int count, long[] hi, long[] lo) {
    int base = rowOf[first];
    batch.readAddresses(column, from + base, span(first, count), scratch, lowScratch);
    for (int i = 0; i < count; i++) {
      hi[i] = scratch[rowOf[first + i] - base];
      lo[i] = lowScratch[rowOf[first + i] - base];
    }
  }

  @Override
  public void readValidity(FlowColumn column, int first, int count, long[] out) {
    int base = rowOf[first];
    batch.readValidity(column, from + base, span(first, count), words);
    Arrays.fill(out, 0, (count + 63) >>> 6, 0);
    for (int i = 0; i < count; i++) {
      int row = rowOf[first + i] - base;
      out[i >>> 6] |= (words[row >>> 6] >>> row & 1) << i;
    }
  }

  @Override
  public @Nullable String text(FlowColumn column, int row) {
    return batch.text(column, from + rowOf[row]);
  }

  @Override
  public void readTexts(FlowColumn column, int first, int count, @Nullable String[] out) {
    int base = rowOf[first];
    batch.readTexts(column, from + base, span(first, count), texts);
    for (int i = 0; i < count; i++) {
      out[i] = texts[rowOf[first + i] - base];
    }
  }
}
