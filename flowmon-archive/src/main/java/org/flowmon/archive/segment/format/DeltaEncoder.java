package org.flowmon.archive.segment.format;

import org.flowmon.flow.bytes.ByteSink;
import org.jspecify.annotations.Nullable;

/**
 * Writes DELTA_BINARY_PACKED of Parquet in blocks of 128 deltas, and a table of the blocks' offsets
 * and the values before them, so that a reader finds any value within one block.
 *
 * <pre>
 *   values: varint 128 | varint 4 | varint count | zigzag first | block | block | …
 *   block:  zigzag smallest delta | u8 width × 4 | (delta − smallest), 32 × width bits, × 4
 *   table:  for each block: u64 value before its first | u32 offset of the block from the values' start
 * </pre>
 *
 * <p>https://parquet.apache.org/docs/file-format/data-pages/encodings/, delta encoding. Not
 * thread-safe.
 */
public final class DeltaEncoder {
  public static final int BLOCK = 128;
  static final int MINIBLOCKS = 4;
  static final int MINIBLOCK = BLOCK / MINIBLOCKS;

  /** Bytes of a table entry. */
  public static final int ENTRY = 12;

  private final long[] deltas = new long[BLOCK];

  public static int blocks(int values) {
    return (values - 1 + BLOCK - 1) / BLOCK;
  }

  /**
   * Appends {@code n} values; 0 still have a header. Narrow ones have 32 bits, and differ in
   * arithmetic modulo 2^32. {@code table} receives the blocks' entries, null for none.
   */
  public void encode(
      long[] values, int from, int n, boolean narrow, ByteSink out, @Nullable ByteSink table) {
    int start = out.size();
    out.putVarint(BLOCK);
    out.putVarint(MINIBLOCKS);
    out.putVarint(n);
    long first = n == 0 ? 0 : values[from];
    putZigzag(narrow ? (int) first : first, out);
    for (int i = 1; i < n; i += BLOCK) {
      if (table != null) {
        table.putLong(values[from + i - 1]);
        table.putInt(out.size() - start);
      }
      putBlock(values, from + i, Math.min(BLOCK, n - i), narrow, out);
    }
  }

  private void putBlock(long[] values, int from, int n, boolean narrow, ByteSink out) {
    long smallest = Long.MAX_VALUE;
    for (int i = 0; i < n; i++) {
      long delta = values[from + i] - values[from + i - 1];
      deltas[i] = narrow ? (int) delta : delta;
      smallest = Math.min(smallest, deltas[i]);
    }
    putZigzag(smallest, out);
    int widths = out.size();
    out.putInt(0);
    for (int mini = 0; mini * MINIBLOCK < n; mini++) {
      int first = mini * MINIBLOCK;
      long bits = 0;
      for (int i = first; i < first + MINIBLOCK; i++) {
        deltas[i] = i < n ? deltas[i] - smallest : 0; // unsigned
        bits |= deltas[i];
      }
      int width = 64 - Long.numberOfLeadingZeros(narrow ? bits & 0xFFFF_FFFFL : bits);
      out.array()[widths + mini] = (byte) width;
      putPacked(first, width, narrow, out);
    }
  }

  private void putPacked(int first, int width, boolean narrow, ByteSink out) {
    long pending = 0;
    int bits = 0;
    for (int i = first; i < first + MINIBLOCK && width > 0; i++) {
      long delta = narrow ? deltas[i] & 0xFFFF_FFFFL : deltas[i];
      pending |= delta << bits;
      if (bits + width >= 64) {
        out.putLong(pending);
        pending = bits == 0 ? 0 : delta >>> (64 - bits);
        bits += width - 64;
      } else {
        bits += width;
      }
    }
    if (bits > 0) { // 32 values of any width are a multiple of 4 bytes
      out.putInt((int) pending);
    }
  }

  private static void putZigzag(long value, ByteSink out) {
    out.putVarintLong((value << 1) ^ (value >> 63));
  }
}
