package org.flowmon.flow;

import java.util.Arrays;
import org.flowmon.flow.bytes.LittleEndian;

/**
 * Chooses and writes the stored form of one column of one batch:
 *
 * <pre>
 *   numbers, addresses   [validity, if NULLABLE]  one slot of a fixed width a row
 *   texts                [validity, if NULLABLE]  offsets u32, one more than slots; UTF-8
 * </pre>
 *
 * <p>CONSTANT has one slot for all rows, IPv4 alone 4 bytes a slot. It reads the builder's arrays,
 * which must not change until {@link #writeTo} has returned.
 */
final class ColumnEncoding {
  private final FlowColumn column;
  private final int rows;
  private final long[] valid;
  private final long[] values;
  private final long[] high;
  private final byte[][] texts;
  private final int code;
  private final boolean ipv4;
  private final int length;

  /**
   * Chooses the smallest encoding. Nulls are 0 or null in {@code values} (numbers or low longs),
   * {@code high} and {@code texts} (UTF-8); the latter two are empty for other columns.
   *
   * @param count rows that are not null, 1 … rows
   * @param valid bit {@code i & 63} of word {@code i >>> 6}: whether row i is not null
   */
  ColumnEncoding(
      FlowColumn column,
      int rows,
      int count,
      long[] valid,
      long[] values,
      long[] high,
      byte[][] texts) {
    this.column = column;
    this.rows = rows;
    this.valid = valid;
    this.values = values;
    this.high = high;
    this.texts = texts;
    ipv4 = column.type() == ColumnType.ADDRESS && allIpv4(count);
    code =
        count < rows
            ? FlowBatchLayout.NULLABLE
            : isConstant() ? FlowBatchLayout.CONSTANT : FlowBatchLayout.DENSE;
    length = storedLength();
  }

  int length() {
    return length;
  }

  /** Writes the directory's entry; the bytes must be 0 before. */
  void writeEntry(byte[] bytes, int entry, int offset) {
    bytes[entry] = (byte) column.id();
    bytes[entry + 1] = (byte) (ipv4 ? FlowBatchLayout.STORED_IPV4 : column.type().code());
    bytes[entry + 2] = (byte) code;
    LittleEndian.putInt(bytes, entry + 4, offset);
    LittleEndian.putInt(bytes, entry + 8, length);
  }

  /** Writes the column; the bytes must be 0 before. */
  void writeTo(byte[] bytes, int start) {
    int at = start;
    if (code == FlowBatchLayout.NULLABLE) {
      int words = (rows + 63) >>> 6;
      for (int w = 0; w < words; w++) {
        LittleEndian.putLong(bytes, at + 8 * w, valid[w]);
      }
      at += FlowBatchLayout.bitmapBytes(rows);
    }
    if (column.type() == ColumnType.TEXT) {
      writeTexts(bytes, at);
    } else {
      writeFixed(bytes, at);
    }
  }

  private int slots() {
    return code == FlowBatchLayout.CONSTANT ? 1 : rows;
  }

  private int width() {
    return ipv4 ? 4 : column.type().width();
  }

  private boolean allIpv4(int count) {
    if (count == rows) {
      for (int i = 0; i < rows; i++) {
        if (!IpAddress.isIpv4(high[i], values[i])) {
          return false;
        }
      }
      return true;
    }
    for (int i = 0; i < rows; i++) {
      if ((valid[i >>> 6] >>> i & 1) != 0 && !IpAddress.isIpv4(high[i], values[i])) {
        return false;
      }
    }
    return true;
  }

  private boolean isConstant() {
    if (column.type() == ColumnType.TEXT) {
      for (int i = 1; i < rows; i++) {
        if (!Arrays.equals(texts[0], texts[i])) {
          return false;
        }
      }
      return true;
    }
    for (int i = 1; i < rows; i++) {
      if (values[i] != values[0] || (high.length > 0 && high[i] != high[0])) {
        return false;
      }
    }
    return true;
  }

  private int storedLength() {
    int slots = slots();
    int bitmap = code == FlowBatchLayout.NULLABLE ? FlowBatchLayout.bitmapBytes(rows) : 0;
    if (column.type() == ColumnType.TEXT) {
      int bytes = bitmap + 4 * (slots + 1);
      for (int i = 0; i < slots; i++) {
        bytes = Math.addExact(bytes, texts[i] == null ? 0 : texts[i].length);
      }
      return bytes;
    }
    return bitmap + slots * width();
  }

  private void writeFixed(byte[] bytes, int at) {
    int slots = slots();
    switch (width()) {
      case 1 -> {
        for (int i = 0; i < slots; i++) {
          bytes[at + i] = (byte) values[i];
        }
      }
      case 2 -> {
        for (int i = 0; i < slots; i++) {
          LittleEndian.putU16(bytes, at + 2 * i, (int) values[i]);
        }
      }
      case 4 -> {
        for (int i = 0; i < slots; i++) {
          LittleEndian.putInt(bytes, at + 4 * i, (int) values[i]);
        }
      }
      case 8 -> {
        for (int i = 0; i < slots; i++) {
          LittleEndian.putLong(bytes, at + 8 * i, values[i]);
        }
      }
      default -> {
        for (int i = 0; i < slots; i++) {
          LittleEndian.putLong(bytes, at + 16 * i, high[i]);
          LittleEndian.putLong(bytes, at + 16 * i + 8, values[i]);
        }
      }
    }
  }

  private void writeTexts(byte[] bytes, int at) {
    int slots = slots();
    int text = at + 4 * (slots + 1);
    int offset = 0;
    for (int i = 0; i < slots; i++) {
      byte[] utf8 = texts[i];
      if (utf8 != null) {
        System.arraycopy(utf8, 0, bytes, text + offset, utf8.length);
        offset += utf8.length;
      }
      LittleEndian.putInt(bytes, at + 4 * (i + 1), offset);
    }
  }

  static void checkFits(FlowColumn column, long min, long max) {
    ColumnType type = column.type();
    if (!type.isLong() || min < type.minValue() || max > type.maxValue()) {
      throw new IllegalArgumentException(
          String.format(
              "%s does not fit column %s of type %s",
              min < type.minValue() ? min : max, column.sqlName(), type));
    }
  }

  static void checkText(FlowColumn column, byte[] utf8) {
    if (utf8.length > FlowBatch.MAX_TEXT_BYTES) {
      throw new IllegalArgumentException(
          String.format(
              "text of %s bytes in column %s, at most %s",
              utf8.length, column.sqlName(), FlowBatch.MAX_TEXT_BYTES));
    }
  }
}
