package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import org.flowmon.archive.rollup.Rollup;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;

/**
 * Cells of a slice as rows, on which filter and keys are evaluated: the slice's address column,
 * {@code outgoing} and, as the start of its hour or day, {@code end_time}. Not thread-safe.
 */
final class CellRows implements FlowRows {
  private final long[] high = new long[RollupFormat.BLOCK];
  private final long[] low = new long[RollupFormat.BLOCK];
  private FlowColumn address = FlowColumn.SRC_ADDR;
  private int outgoing = RollupFormat.OUTGOING_NULL;
  private long hour = RollupFormat.NO_HOUR;
  private long unitMicros = RollupFormat.HOUR_MICROS;
  private int count;
  private boolean lastIsNull;

  /** {@code ids} are ascending. */
  void load(CellSource source, int[] ids, int n, int slice) {
    int nullId = source.rollup().nullId();
    begin(source.address(), n, source.rollup().outgoing(slice), source.rollup().hour(slice));
    unitMicros = source.unitMicros();
    lastIsNull = ids[n - 1] == nullId;
    if (lastIsNull) {
      high[n - 1] = 0;
      low[n - 1] = 0;
    }
    source.dictionary().readAddresses(ids, lastIsNull ? n - 1 : n, high, low);
  }

  /** Loads one row of a slice, without an address. */
  void loadTime(CellSource source, int slice) {
    Rollup rollup = source.rollup();
    begin(source.address(), 1, rollup.outgoing(slice), rollup.hour(slice));
    unitMicros = source.unitMicros();
    lastIsNull = true;
    high[0] = 0;
    low[0] = 0;
  }

  /** Loads the cells of these addresses, of any hour. */
  void load(FlowColumn column, long[] highs, long[] lows, int from, int n, int ofOutgoing) {
    begin(column, n, ofOutgoing, RollupFormat.NO_HOUR);
    lastIsNull = false;
    System.arraycopy(highs, from, high, 0, n);
    System.arraycopy(lows, from, low, 0, n);
  }

  void loadNull(FlowColumn column, int ofOutgoing) {
    begin(column, 1, ofOutgoing, RollupFormat.NO_HOUR);
    lastIsNull = true;
    high[0] = 0;
    low[0] = 0;
  }

  private void begin(FlowColumn column, int n, int ofOutgoing, long ofHour) {
    address = column;
    count = n;
    outgoing = ofOutgoing;
    hour = ofHour;
  }

  @Override
  public int rows() {
    return count;
  }

  @Override
  public Presence presence(FlowColumn column) {
    if (column == address) {
      return lastIsNull ? Presence.NULLABLE : Presence.DENSE;
    } else if (column == FlowColumn.OUTGOING) {
      return outgoing == RollupFormat.OUTGOING_NULL ? Presence.ABSENT : Presence.CONSTANT;
    } else if (column == FlowColumn.END_TIME) {
      return hour == RollupFormat.NO_HOUR ? Presence.ABSENT : Presence.CONSTANT;
    }
    throw new IllegalArgumentException("cells have no " + column.sqlName());
  }

  @Override
  public void readLongs(FlowColumn column, int from, int n, long[] out) {
    boolean isTime = column == FlowColumn.END_TIME;
    Arrays.fill(
        out, 0, n, presence(column) == Presence.ABSENT ? 0 : isTime ? hour * unitMicros : outgoing);
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int n, long[] hi, long[] lo) {
    System.arraycopy(high, from, hi, 0, n);
    System.arraycopy(low, from, lo, 0, n);
  }

  @Override
  public void readValidity(FlowColumn column, int from, int n, long[] words) {
    boolean any = presence(column) != Presence.ABSENT;
    Arrays.fill(words, 0, (n + 63) >>> 6, 0);
    for (int i = 0; i < n; i++) {
      boolean valid = any && (column != address || !lastIsNull || from + i < count - 1);
      words[i >>> 6] |= (valid ? 1L : 0L) << i;
    }
  }

  @Override
  public String text(FlowColumn column, int row) {
    throw new IllegalArgumentException("cells have no " + column.sqlName());
  }
}
