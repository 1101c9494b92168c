package org.flowmon.archive.segment.reader;

import java.nio.ByteBuffer;

/**
 * The bitmap of a column's rows that are not null, from a bit-packed run of definition levels.
 * Stores the count before every 512th row, so that a value's place is found in constant time.
 */
final class Validity {
  private static final int BLOCK = 512;

  private final ByteBuffer buffer;
  private final int at;
  private final int[] before;
  private final int count;

  /** Wraps a bitmap of a little-endian file, in which at least 9 bytes follow it. */
  Validity(ByteBuffer buffer, int at, int rows) {
    this.buffer = buffer;
    this.at = at;
    this.before = new int[(rows + BLOCK - 1) / BLOCK];
    int sum = 0;
    for (int from = 0; from < rows; from += 64) {
      if (from % BLOCK == 0) {
        before[from / BLOCK] = sum;
      }
      sum += Long.bitCount(word(from) & mask(rows - from));
    }
    this.count = sum;
  }

  private static long mask(int bits) {
    return bits >= 64 ? -1L : (1L << bits) - 1;
  }

  int count() {
    return count;
  }

  /** 64 bits from a row on; those past the last row are undefined. */
  private long word(int row) {
    int start = at + (row >>> 3);
    int shift = row & 7;
    long word = buffer.getLong(start) >>> shift;
    return shift == 0 ? word : word | (long) buffer.get(start + 8) << (64 - shift);
  }

  boolean isValid(int row) {
    return (buffer.get(at + (row >>> 3)) >>> (row & 7) & 1) != 0;
  }

  /** The number of values before a row. */
  int rank(int row) {
    int rank = before[row / BLOCK];
    int from = row / BLOCK * BLOCK;
    for (; from + 64 <= row; from += 64) {
      rank += Long.bitCount(word(from));
    }
    return from == row ? rank : rank + Long.bitCount(word(from) & mask(row - from));
  }

  /** The number of values in {@code rows} rows from a row on. */
  int count(int from, int rows) {
    int sum = 0;
    for (int i = 0; i < rows; i += 64) {
      sum += Long.bitCount(word(from + i) & mask(rows - i));
    }
    return sum;
  }

  void read(int from, int rows, long[] words) {
    for (int i = 0; i < rows; i += 64) {
      words[i >>> 6] = word(from + i) & mask(rows - i);
    }
  }
}
