package org.flowmon.archive.block;

import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.flow.IpAddress;
import org.jspecify.annotations.Nullable;

/**
 * Some flows, as arrays of chosen columns, for query expressions like any {@link FlowRows}.
 * Immutable, safe for many threads, and valid as long as it is referenced. Reading a column that
 * was not chosen throws {@link IllegalArgumentException}.
 */
public final class FlowBlock implements FlowRows {
  private final BlockColumns columns;
  private final long[] times;
  private final int @Nullable [] sources;
  private final int source;
  private final int offset;
  private final int rows;

  /** {@code sources} by row, null if all are {@code source}; {@code offset} of the first row. */
  FlowBlock(
      BlockColumns columns,
      long[] times,
      int @Nullable [] sources,
      int source,
      int offset,
      int rows) {
    this.columns = columns;
    this.times = times;
    this.sources = sources;
    this.source = source;
    this.offset = offset;
    this.rows = rows;
  }

  /** Some of the rows; nothing is copied. */
  FlowBlock slice(int from, int count) {
    Objects.checkFromIndexSize(from, count, rows);
    return new FlowBlock(columns, times, sources, source, offset + from, count);
  }

  FlowBlock ofSource(int number) {
    return new FlowBlock(columns, times, null, number, offset, rows);
  }

  @Override
  public int rows() {
    return rows;
  }

  public Set<FlowColumn> columns() {
    return columns.chosen();
  }

  /** The {@link org.flowmon.archive.segment.TimeKey} (µs), which flows are ordered by. */
  public long time(int row) {
    return times[place(row)];
  }

  /** The number of the row's source in a {@link TimeMerge}, from 0; 0 without a merge. */
  public int source(int row) {
    int place = place(row);
    return sources == null ? source : sources[place];
  }

  private int place(int row) {
    return offset + Objects.checkIndex(row, rows);
  }

  private BlockColumn values(FlowColumn column, boolean fits, String wanted) {
    if (!fits) {
      throw new IllegalArgumentException(
          column.sqlName() + " is " + column.type() + ", not " + wanted);
    }
    return columns.get(column);
  }

  private BlockColumn numbers(FlowColumn column) {
    return values(column, column.type().isLong(), "a number");
  }

  private BlockColumn addresses(FlowColumn column) {
    return values(column, column.type() == ColumnType.ADDRESS, "ADDRESS");
  }

  public boolean isNull(FlowColumn column, int row) {
    BlockColumn values = columns.get(column);
    int place = place(row);
    return values.isNull != null && values.isNull[place];
  }

  /** A number, boolean (0 or 1), time or duration (µs); 0 if it is NULL. */
  public long longValue(FlowColumn column, int row) {
    return numbers(column).low[place(row)];
  }

  public long addressHigh(FlowColumn column, int row) {
    return addresses(column).high[place(row)];
  }

  public long addressLow(FlowColumn column, int row) {
    return addresses(column).low[place(row)];
  }

  /** An address, null if it is NULL. */
  public @Nullable IpAddress address(FlowColumn column, int row) {
    return isNull(column, row)
        ? null
        : new IpAddress(addressHigh(column, row), addressLow(column, row));
  }

  @Override
  public @Nullable String text(FlowColumn column, int row) {
    return values(column, column.type() == ColumnType.TEXT, "TEXT").text[place(row)];
  }

  @Override
  public Presence presence(FlowColumn column) {
    return columns.get(column).isNull == null ? Presence.DENSE : Presence.NULLABLE;
  }

  @Override
  public void readLongs(FlowColumn column, int from, int count, long[] out) {
    Objects.checkFromIndexSize(from, count, rows);
    System.arraycopy(numbers(column).low, offset + from, out, 0, count);
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int count, long[] hi, long[] lo) {
    Objects.checkFromIndexSize(from, count, rows);
    BlockColumn values = addresses(column);
    System.arraycopy(values.high, offset + from, hi, 0, count);
    System.arraycopy(values.low, offset + from, lo, 0, count);
  }

  @Override
  public void readValidity(FlowColumn column, int from, int count, long[] words) {
    Objects.checkFromIndexSize(from, count, rows);
    boolean[] isNull = columns.get(column).isNull;
    Arrays.fill(words, 0, (count + 63) >>> 6, 0);
    for (int i = 0; i < count; i++) {
      if (isNull == null || !isNull[offset + from + i]) {
        words[i >>> 6] |= 1L << i;
      }
    }
  }

  /** First row from {@code from} on later than {@code time}; the number of rows if none is. */
  int firstAfter(long time, int from) {
    // As BinarySearch, but it runs for each run of rows, which may have one row.
    int low = from;
    int high = rows;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (times[offset + middle] > time) {
        high = middle;
      } else {
        low = middle + 1;
      }
    }
    return low;
  }

  static FlowBlock concat(Iterable<FlowBlock> parts) {
    int rows = 0;
    for (FlowBlock part : parts) {
      rows += part.rows;
    }
    FlowBlock first = parts.iterator().next();
    Map<FlowColumn, BlockColumn> columns = new TreeMap<>();
    for (FlowColumn column : first.columns()) {
      columns.put(column, concat(parts, column, rows));
    }
    long[] times = new long[rows];
    int[] sources = new int[rows];
    int at = 0;
    for (FlowBlock part : parts) {
      System.arraycopy(part.times, part.offset, times, at, part.rows);
      for (int i = 0; i < part.rows; i++) {
        sources[at + i] = part.source(i);
      }
      at += part.rows;
    }
    return new FlowBlock(new BlockColumns(columns), times, sources, 0, 0, rows);
  }

  private static BlockColumn concat(Iterable<FlowBlock> parts, FlowColumn column, int rows) {
    boolean isText = column.type() == ColumnType.TEXT;
    boolean isAddress = column.type() == ColumnType.ADDRESS;
    long[] low = new long[isText ? 0 : rows];
    long[] high = new long[isAddress ? rows : 0];
    String[] text = new String[isText ? rows : 0];
    boolean[] isNull = null;
    int at = 0;
    for (FlowBlock part : parts) {
      BlockColumn values = part.columns.get(column);
      if (isText) {
        System.arraycopy(values.text, part.offset, text, at, part.rows);
      } else {
        System.arraycopy(values.low, part.offset, low, at, part.rows);
      }
      if (isAddress) {
        System.arraycopy(values.high, part.offset, high, at, part.rows);
      }
      if (values.isNull != null) {
        isNull = isNull == null ? new boolean[rows] : isNull;
        System.arraycopy(values.isNull, part.offset, isNull, at, part.rows);
      }
      at += part.rows;
    }
    return new BlockColumn(low, high, text, isNull);
  }
}
