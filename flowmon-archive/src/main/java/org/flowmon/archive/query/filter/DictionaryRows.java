package org.flowmon.archive.query.filter;

import java.util.Arrays;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;

/** A dictionary's values as rows of one column: each is decided once. Not thread-safe. */
public final class DictionaryRows implements FlowRows {
  /** One row without any value. */
  public static final FlowRows NULL = new DictionaryRows(null, null, new int[1], 1);

  private final SegmentReader segment;
  private final FlowColumn column;
  private final int[] ids;
  private final int count;

  /** {@code ids} are places in the dictionary; the first {@code count} are used. */
  public DictionaryRows(SegmentReader segment, FlowColumn column, int[] ids, int count) {
    this.segment = segment;
    this.column = column;
    this.ids = ids;
    this.count = count;
  }

  @Override
  public int rows() {
    return count;
  }

  @Override
  public Presence presence(FlowColumn asked) {
    return asked == column ? Presence.DENSE : Presence.ABSENT;
  }

  @Override
  public void readLongs(FlowColumn asked, int from, int n, long[] out) {
    if (asked != column) {
      Arrays.fill(out, 0, n, 0);
      return;
    }
    for (int i = 0; i < n; i++) {
      out[i] = segment.dictionaryLong(column, ids[from + i]);
    }
  }

  @Override
  public void readAddresses(FlowColumn asked, int from, int n, long[] hi, long[] lo) {
    if (asked != column) {
      Arrays.fill(hi, 0, n, 0);
      Arrays.fill(lo, 0, n, 0);
      return;
    }
    for (int i = 0; i < n; i++) {
      hi[i] = segment.dictionaryHigh(column, ids[from + i]);
      lo[i] = segment.dictionaryLow(column, ids[from + i]);
    }
  }

  @Override
  public void readValidity(FlowColumn asked, int from, int n, long[] words) {
    int last = (n + 63) >>> 6;
    Arrays.fill(words, 0, last, asked == column ? -1L : 0);
    if (asked == column && (n & 63) != 0) {
      words[last - 1] = (1L << n) - 1;
    }
  }

  @Override
  public String text(FlowColumn asked, int row) {
    return asked == column && column.type() == ColumnType.TEXT
        ? segment.dictionaryText(column, ids[row])
        : null;
  }
}
