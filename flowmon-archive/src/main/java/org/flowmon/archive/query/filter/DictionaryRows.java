package org.flowmon.archive.query.filter;

import java.util.Arrays;
import java.util.Objects;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.jspecify.annotations.Nullable;

/** A dictionary's values as rows of one column: each is decided once. Not thread-safe. */
public final class DictionaryRows implements FlowRows {
  /** One row without any value. */
  public static final FlowRows NULL = new DictionaryRows();

  // Null in NULL, which has no column.
  private final @Nullable SegmentReader segment;
  private final @Nullable FlowColumn column;
  private final int[] ids;
  private final int count;

  private DictionaryRows() {
    this.segment = null;
    this.column = null;
    this.ids = new int[1];
    this.count = 1;
  }

  /** {@code ids} are places in the dictionary; the first {@code count} are used. */
  public DictionaryRows(SegmentReader segment, FlowColumn column, int[] ids, int count) {
    this.segment = segment;
    this.column = column;
    this.ids = ids;
    this.count = count;
  }

  private SegmentReader segment() {
    return Objects.requireNonNull(segment, "the segment of a column");
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
    SegmentReader read = segment();
    for (int i = 0; i < n; i++) {
      out[i] = read.dictionaryLong(asked, ids[from + i]);
    }
  }

  @Override
  public void readAddresses(FlowColumn asked, int from, int n, long[] hi, long[] lo) {
    if (asked != column) {
      Arrays.fill(hi, 0, n, 0);
      Arrays.fill(lo, 0, n, 0);
      return;
    }
    SegmentReader read = segment();
    for (int i = 0; i < n; i++) {
      hi[i] = read.dictionaryHigh(asked, ids[from + i]);
      lo[i] = read.dictionaryLow(asked, ids[from + i]);
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
  public @Nullable String text(FlowColumn asked, int row) {
    return asked == column && asked.type() == ColumnType.TEXT
        ? segment().dictionaryText(asked, ids[row])
        : null;
  }
}
