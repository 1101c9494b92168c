package org.flowmon.udaf.value;

import java.nio.LongBuffer;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A {@link ResultTable}'s column while it is filled and after. A column of NULLs has no arrays, one
 * without NULLs no marks; only sums beyond a long and addresses have high longs. Arrays may be
 * longer than the rows.
 */
final class ResultColumn {
  private static final int FIRST_CAPACITY = 16;
  // Of a text beside its characters, with the reference to it.
  private static final int TEXT_BYTES = 56;

  private final String name;
  private final ValueKind kind;
  private static final long[] NO_LONGS = {};
  private static final @Nullable String[] NO_TEXTS = {};
  private static final boolean[] NO_MARKS = {};

  private long[] low = NO_LONGS; // empty: every row is NULL; of texts always
  private long[] high = NO_LONGS; // empty: the sign of low
  private @Nullable String[] text = NO_TEXTS;
  private boolean[] isNull = NO_MARKS; // empty: no row before `filled` is
  private int filled;

  ResultColumn(String name, @Nullable ValueKind kind) {
    this.name = name;
    // A column that is NULL everywhere, as in SELECT NULL, has no kind of its own.
    this.kind = kind == null ? ValueKind.TEXT : kind;
  }

  String name() {
    return name;
  }

  ValueKind kind() {
    return kind;
  }

  boolean isNull(int row) {
    return row >= filled || (isNull.length > 0 && isNull[row]);
  }

  boolean hasNulls(int rows) {
    for (int row = 0; row < Math.min(rows, filled) && isNull.length > 0; row++) {
      if (isNull[row]) {
        return true;
      }
    }
    return filled < rows;
  }

  /** 0 if NULL. */
  void readLows(int from, int count, long[] out) {
    if (isNull.length == 0 && low.length > 0 && from + count <= filled) {
      System.arraycopy(low, from, out, 0, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      out[i] = low(from + i);
    }
  }

  /** 0 if NULL. */
  void readHighs(int from, int count, long[] out) {
    if (isNull.length == 0 && high.length > 0 && from + count <= filled) {
      System.arraycopy(high, from, out, 0, count);
      return;
    }
    for (int i = 0; i < count; i++) {
      out[i] = high(from + i);
    }
  }

  /** No copy if no row is NULL. */
  long[] lows(int rows) {
    if (isWhole(low, rows)) {
      return low;
    }
    long[] copy = new long[rows];
    readLows(0, rows, copy);
    return copy;
  }

  /** No copy if no row is NULL and there are high longs. */
  long[] highs(int rows) {
    if (isWhole(high, rows)) {
      return high;
    }
    long[] copy = new long[rows];
    readHighs(0, rows, copy);
    return copy;
  }

  private boolean isWhole(long[] longs, int rows) {
    return isNull.length == 0 && filled >= rows && longs.length >= rows;
  }

  /** 0 if NULL. */
  long low(int row) {
    return isNull(row) ? 0 : low[row];
  }

  boolean hasHighs() {
    return high.length > 0;
  }

  /** 0 if NULL. */
  long high(int row) {
    if (isNull(row)) {
      return 0;
    }
    return high.length > 0 ? high[row] : kind == ValueKind.DOUBLE ? 0 : low[row] >> 63;
  }

  /** No copy if the array has that length. */
  LongBuffer longs(int rows) {
    return LongBuffer.wrap(grown(low, rows), 0, rows).asReadOnlyBuffer();
  }

  @Nullable String text(int row) {
    return isNull(row) ? null : text[row];
  }

  void reserve(int rows) {
    if (kind == ValueKind.TEXT) {
      text = grown(text, rows);
    } else {
      low = grown(low, rows);
      high = kind == ValueKind.ADDRESS || high.length > 0 ? grown(high, low.length) : high;
    }
    isNull = isNull.length > 0 ? grown(isNull, rows) : isNull;
  }

  private static long[] grown(long[] array, int capacity) {
    return capacity > array.length ? Arrays.copyOf(array, capacity) : array;
  }

  private static @Nullable String[] grown(@Nullable String[] array, int capacity) {
    return capacity > array.length ? Arrays.copyOf(array, capacity) : array;
  }

  private static boolean[] grown(boolean[] array, int capacity) {
    return capacity > array.length ? Arrays.copyOf(array, capacity) : array;
  }

  /** Approximate bytes on the heap, with those of texts. */
  long heapBytes() {
    long bytes = Long.BYTES * ((long) low.length + high.length) + isNull.length;
    for (String one : text) {
      bytes += one == null ? Long.BYTES : TEXT_BYTES + one.length();
    }
    return bytes;
  }

  private int capacity() {
    return kind == ValueKind.TEXT ? text.length : low.length;
  }

  /** Rows between the last one set and this one are NULL. */
  private void begin(int row) {
    if (row >= capacity()) {
      reserve(Math.max(FIRST_CAPACITY, 2 * row));
    }
    if (row > filled && isNull.length == 0) {
      isNull = new boolean[capacity()];
    }
    if (isNull.length > 0) {
      isNull = grown(isNull, capacity());
      if (row > filled) {
        Arrays.fill(isNull, filled, row, true);
      }
      isNull[row] = false;
    }
    filled = Math.max(filled, row + 1);
  }

  void set(int row, long value) {
    begin(row);
    low[row] = value;
    if (high.length > 0) {
      high[row] = kind == ValueKind.DOUBLE ? 0 : value >> 63;
    }
  }

  void set(int row, long highLong, long lowLong) {
    if (high.length == 0 && kind != ValueKind.ADDRESS && highLong == lowLong >> 63) {
      set(row, lowLong);
      return;
    }
    begin(row);
    if (high.length == 0) {
      high = new long[low.length];
      for (int i = 0; i < row; i++) {
        high[i] = low[i] >> 63;
      }
    }
    low[row] = lowLong;
    high[row] = highLong;
  }

  void set(int row, @Nullable String value) {
    if (value != null) {
      begin(row);
      text[row] = value;
    }
  }

  /** Takes over arrays without a copy; see {@link ResultTable.Builder#fill}. */
  void fill(
      int rows,
      long @Nullable [] lows,
      long @Nullable [] highs,
      @Nullable String @Nullable [] texts,
      boolean @Nullable [] nulls) {
    low = lows == null ? NO_LONGS : lows;
    high = highs == null ? NO_LONGS : highs;
    text = texts == null ? NO_TEXTS : texts;
    isNull = nulls == null ? NO_MARKS : nulls;
    filled = low.length == 0 && text.length == 0 ? 0 : rows;
  }

  boolean isSame(ResultColumn that, int rows) {
    if (!name.equals(that.name) || kind != that.kind) {
      return false;
    }
    for (int row = 0; row < rows; row++) {
      if (isNull(row) != that.isNull(row)) {
        return false;
      }
      if (isNull(row)) {
        continue;
      }
      boolean same =
          kind == ValueKind.TEXT
              ? Objects.equals(text[row], that.text[row])
              : low[row] == that.low[row] && high(row) == that.high(row);
      if (!same) {
        return false;
      }
    }
    return true;
  }

  int hash(int rows) {
    int hash = 31 * name.hashCode() + kind.hashCode();
    for (int row = 0; row < rows; row++) {
      hash = 31 * hash + (kind == ValueKind.TEXT ? 0 : Long.hashCode(low(row)));
    }
    return hash;
  }
}
