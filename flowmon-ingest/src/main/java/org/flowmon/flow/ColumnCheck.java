package org.flowmon.flow;

import org.flowmon.flow.bytes.LittleEndian;

/**
 * Checks the values of one column of a batch from outside once, so that readers need not. Loops run
 * over the stored bytes and look for the row only if something is wrong. A boolean is 0 or 1, a
 * count is not negative, the other types allow every value. A null is stored as 0 or as an empty
 * text; readers rely on it. The validity has no bits past the last row. The header's smallest and
 * largest times are those of the rows.
 */
final class ColumnCheck {
  private static final long NOT_BOOLEANS = 0xFEFE_FEFE_FEFE_FEFEL;

  // Masks for the bits of a word's null rows, by the logarithm of a value's width (1, 2 or 4
  // bytes).
  private static final long[][] MASKS = {masks(1), masks(2), masks(4)};

  private static long[] masks(int width) {
    int rows = 8 / width;
    long one = -1L >>> (64 - 8 * width);
    long[] masks = new long[1 << rows];
    for (int nulls = 0; nulls < masks.length; nulls++) {
      for (int row = 0; row < rows; row++) {
        masks[nulls] |= ((nulls >>> row & 1) * one) << (8 * width * row);
      }
    }
    return masks;
  }

  private final FlowColumn column;
  private final byte[] bytes;
  private final int rows;
  private final int encoding;
  private final int width;
  private final int at;

  /**
   * Takes {@code encoding}: of {@link FlowBatchLayout}, for example {@link
   * FlowBatchLayout#CONSTANT}.
   *
   * @param width bytes of a value; 4 for a text, the width of its offset
   * @param at where the values begin, right after the validity of a nullable column
   */
  ColumnCheck(FlowColumn column, byte[] bytes, int rows, int encoding, int width, int at) {
    this.column = column;
    this.bytes = bytes;
    this.rows = rows;
    this.encoding = encoding;
    this.width = width;
    this.at = at;
  }

  /** A {@link FlowFormatException} names column, row, value and what was expected. */
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
      long missing = ~valid & all;
      if (missing != 0 && hasValue(missing, first)) {
        throw besideNull(missing, first);
      }
    }
  }

  private long valid(int word) {
    return LittleEndian.getLong(bytes, at - FlowBatchLayout.bitmapBytes(rows) + 8 * word);
  }

  /**
   * Whether a null has a value other than 0 or an empty text; bit i of {@code missing}: row {@code
   * first + i} is null. As nulls may alternate with values, there are no branches: whole words are
   * read, and the values that are not null are masked out.
   */
  private boolean hasValue(long missing, int first) {
    long any = 0;
    if (column.type() == ColumnType.TEXT) {
      for (long left = missing; left != 0; left &= left - 1) {
        int row = first + Long.numberOfTrailingZeros(left);
        any |= offset(row) ^ offset(row + 1);
      }
      return any != 0;
    }
    if (width >= 8) {
      for (long left = missing; left != 0; left &= left - 1) {
        int from = at + (first + Long.numberOfTrailingZeros(left)) * width;
        for (int i = from; i < from + width; i += 8) {
          any |= LittleEndian.getLong(bytes, i);
        }
      }
      return any != 0;
    }
    int inWord = 8 / width; // rows
    long[] masks = MASKS[Integer.numberOfTrailingZeros(width)];
    long ofWord = masks.length - 1L;
    int full = Math.min(64, rows - first) / inWord * inWord;
    int from = at + first * width;
    for (int i = 0; i < full; i += inWord) {
      any |=
          LittleEndian.getLong(bytes, from + i * width) & masks[(int) ((missing >>> i) & ofWord)];
    }
    for (int i = full * width; i < Math.min(64, rows - first) * width; i++) {
      any |= bytes[from + i] & -(missing >>> (i / width) & 1);
    }
    return any != 0;
  }

  private int offset(int row) {
    return LittleEndian.getInt(bytes, at + 4 * row);
  }

  private FlowFormatException besideNull(long missing, int first) {
    long left = missing;
    while (!hasValue(left & -left, first)) {
      left &= left - 1;
    }
    return refused(
        first + Long.numberOfTrailingZeros(left), "a value beside its null", "0, or an empty text");
  }

  /** The smallest and the largest value must be the header's; the exception names both. */
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
        int i = first;
        // Two at a time, as each comparison waits for the previous one.
        for (; i < first + count - 1; i += 2) {
          long one = LittleEndian.getLong(bytes, at + 8 * i);
          long other = LittleEndian.getLong(bytes, at + 8 * i + 8);
          min = Math.min(min, Math.min(one, other));
          max = Math.max(max, Math.max(one, other));
        }
        if (i < first + count) {
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
