package org.flowmon.flow;

/**
 * Checks the values of one column of a batch from outside, once, so that no reader has to: loops
 * over the bytes as they lie, which look for the row only where something is wrong.
 *
 * <ul>
 *   <li>a boolean is 0 or 1, a count is not negative; every value of the other types is one
 *   <li>a null is stored as 0, or as an empty text; readers count on it
 *   <li>no bit of the validity is set past the last row
 *   <li>the header's smallest and largest times are those of the rows
 * </ul>
 */
final class ColumnCheck {
  private static final long NOT_BOOLEANS = 0xFEFE_FEFE_FEFE_FEFEL;

  private final FlowColumn column;
  private final byte[] bytes;
  private final int rows;
  private final int encoding;
  private final int width;
  private final int at;

  /**
   * A column whose place and length were checked.
   *
   * @param encoding one of {@link FlowBatchLayout#CONSTANT} and its like
   * @param width bytes of a value; of a text 4, of its offset
   * @param at where the values begin; the validity of a nullable column lies right before
   */
  ColumnCheck(FlowColumn column, byte[] bytes, int rows, int encoding, int width, int at) {
    this.column = column;
    this.bytes = bytes;
    this.rows = rows;
    this.encoding = encoding;
    this.width = width;
    this.at = at;
  }

  /**
   * Checks the values.
   *
   * @throws FlowFormatException naming column, row, value and what was expected
   */
  void values() {
    int slots = encoding == FlowBatchLayout.CONSTANT ? 1 : rows;
    if (column.type() == ColumnType.BOOLEAN) {
      booleans(slots);
    } else if (column.type() == ColumnType.COUNT) {
      counts(slots);
    }
    if (encoding == FlowBatchLayout.NULLABLE) {
      nulls();
    }
  }

  private void booleans(int slots) {
    long any = 0;
    int i = 0;
    for (; i <= slots - 8; i += 8) {
      any |= LittleEndian.getLong(bytes, at + i);
    }
    any &= NOT_BOOLEANS;
    for (; i < slots; i++) {
      any |= bytes[at + i] & ~1;
    }
    for (int row = 0; any != 0 && row < slots; row++) {
      if ((bytes[at + row] & ~1) != 0) {
        throw refused(row, Integer.toString(bytes[at + row] & 0xFF), "0 or 1");
      }
    }
  }

  private void counts(int slots) {
    long any = 0;
    for (int i = 0; i < slots; i++) {
      any |= LittleEndian.getLong(bytes, at + 8 * i);
    }
    for (int row = 0; any < 0 && row < slots; row++) {
      long value = LittleEndian.getLong(bytes, at + 8 * row);
      if (value < 0) {
        throw refused(row, Long.toString(value), "0 … 2^63 − 1");
      }
    }
  }

  private void nulls() {
    int words = (rows + 63) >>> 6;
    for (int w = 0; w < words; w++) {
      int first = w << 6;
      int count = Math.min(64, rows - first);
      long all = -1L >>> (64 - count);
      long valid = valid(w);
      if ((valid & ~all) != 0) {
        throw new FlowFormatException(
            "column " + column.sqlName() + ": a bit of its validity is set past row " + (rows - 1));
      }
      // Nulls come in runs, as the rows of one exporter lack the same columns.
      for (long missing = ~valid & all; missing != 0; ) {
        int start = Long.numberOfTrailingZeros(missing);
        int run = Long.numberOfTrailingZeros(~(missing >>> start));
        zeros(first + start, run);
        missing = start + run == 64 ? 0 : missing & -1L << (start + run);
      }
    }
  }

  private long valid(int word) {
    return LittleEndian.getLong(bytes, at - FlowBatchLayout.bitmapBytes(rows) + 8 * word);
  }

  /** Checks that a run of values is 0, or of texts that all are empty. */
  private void zeros(int first, int count) {
    if (column.type() == ColumnType.TEXT) {
      // Offsets never fall.
      if (offset(first) != offset(first + count)) {
        throw besideNull(first, count);
      }
      return;
    }
    int end = at + (first + count) * width;
    int i = at + first * width;
    long any = 0;
    for (; i <= end - 8; i += 8) {
      any |= LittleEndian.getLong(bytes, i);
    }
    for (; i < end; i++) {
      any |= bytes[i];
    }
    if (any != 0) {
      throw besideNull(first, count);
    }
  }

  private int offset(int row) {
    return LittleEndian.getInt(bytes, at + 4 * row);
  }

  /** Of a run of nulls the first that has a value. */
  private FlowFormatException besideNull(int first, int count) {
    int row = first;
    for (; row < first + count - 1; row++) {
      int from = at + row * width;
      boolean isText = column.type() == ColumnType.TEXT;
      if (isText ? offset(row) != offset(row + 1) : !isZero(from, from + width)) {
        break;
      }
    }
    return refused(row, "a value beside its null", "0, or an empty text");
  }

  private boolean isZero(int from, int to) {
    for (int i = from; i < to; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }

  /**
   * Checks that the smallest and the largest value are those of the header.
   *
   * @throws FlowFormatException naming both
   */
  void range(long headerMin, long headerMax) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    int slots = encoding == FlowBatchLayout.CONSTANT ? Math.min(1, rows) : rows;
    boolean nullable = encoding == FlowBatchLayout.NULLABLE;
    for (int first = 0; first < slots; first += 64) {
      int count = Math.min(64, slots - first);
      long all = -1L >>> (64 - count);
      long valid = nullable ? valid(first >>> 6) & all : all;
      if (valid == all) {
        for (int i = first; i < first + count; i++) {
          long value = LittleEndian.getLong(bytes, at + 8 * i);
          min = Math.min(min, value);
          max = Math.max(max, value);
        }
        continue;
      }
      for (; valid != 0; valid &= valid - 1) {
        int row = first + Long.numberOfTrailingZeros(valid);
        long value = LittleEndian.getLong(bytes, at + 8 * row);
        min = Math.min(min, value);
        max = Math.max(max, value);
      }
    }
    checkRange(column, headerMin, headerMax, min, max);
  }

  /** The range of a column that has no value in any row. */
  static void noRange(FlowColumn column, long headerMin, long headerMax) {
    checkRange(column, headerMin, headerMax, Long.MAX_VALUE, Long.MIN_VALUE);
  }

  private static void checkRange(
      FlowColumn column, long headerMin, long headerMax, long min, long max) {
    if (headerMin != min || headerMax != max) {
      throw new FlowFormatException(
          String.format(
              "the header says that %s is %d … %d, the rows have %d … %d",
              column.sqlName(), headerMin, headerMax, min, max));
    }
  }

  private FlowFormatException refused(int row, String found, String expected) {
    return new FlowFormatException(
        "column " + column.sqlName() + ": row " + row + " has " + found + ", expected " + expected);
  }
}
