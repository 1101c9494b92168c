package org.flowmon.archive.segment.writer;

import org.apache.parquet.format.Encoding;
import org.flowmon.archive.segment.format.DeltaEncoder;
import org.flowmon.archive.segment.format.SegmentFormat;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/** Encodes levels and values of some rows of a column as a data page. */
final class PageEncoder {
  private final DeltaEncoder deltas = new DeltaEncoder();

  /** Appends the definition levels of {@code rows} rows; {@code from} is a multiple of 64. */
  void putLevels(ColumnValues values, int from, int rows, ByteSink page) {
    int start = page.size();
    page.putInt(0);
    if (values.nulls == 0) {
      page.putVarint(rows << 1);
      page.write(1);
    } else {
      page.putVarint((((rows + 7) >>> 3) << 1) | 1);
      page.putBits(values.valid, from >>> 6, rows);
    }
    page.setInt(start, page.size() - start - 4);
  }

  /**
   * Appends {@code n} values; the dictionary is for {@link Encoding#RLE_DICTIONARY}, {@code table}
   * receives the place of each block of deltas, null for none.
   */
  void putValues(
      ColumnType type,
      Encoding encoding,
      ColumnValues values,
      DictionaryBuilder dictionary,
      int from,
      int n,
      ByteSink page,
      @Nullable ByteSink table) {
    switch (encoding) {
      case RLE_DICTIONARY -> putIds(dictionary, from, n, page);
      case DELTA_BINARY_PACKED ->
          deltas.encode(values.low, from, n, SegmentFormat.width(type) == 4, page, table);
      case BYTE_STREAM_SPLIT -> putSplit(values.low, from, n, SegmentFormat.width(type), page);
      default -> putPlain(type, values.low, from, n, page);
    }
  }

  private static void putIds(DictionaryBuilder dictionary, int from, int n, ByteSink page) {
    int width = SegmentFormat.idWidth(dictionary.size);
    page.write(width);
    if (width == 0) {
      page.putVarint(n << 1);
    } else {
      page.putVarint((((n + 7) >>> 3) << 1) | 1);
      page.putPacked(dictionary.ids, from, n, width);
    }
  }

  private static void putPlain(ColumnType type, long[] values, int from, int n, ByteSink page) {
    switch (SegmentFormat.width(type)) {
      case 4 -> page.putInts(values, from, n);
      case 8 -> page.putLongs(values, from, n);
      default -> {
        for (int i = 0; i < n; i += 8) {
          int bits = 0;
          for (int b = 0; b < 8 && i + b < n; b++) {
            bits |= (int) (values[from + i + b] & 1) << b;
          }
          page.write(bits);
        }
      }
    }
  }

  /** Appends all first bytes, then all second bytes, …: least significant first. */
  private static void putSplit(long[] values, int from, int n, int width, ByteSink page) {
    page.reserve((long) n * width);
    byte[] bytes = page.array();
    int at = page.size();
    for (int b = 0; b < width; b++) {
      for (int i = 0; i < n; i++) {
        bytes[at++] = (byte) (values[from + i] >>> (8 * b));
      }
    }
    page.advance(n * width);
  }
}
