package org.flowmon.archive.segment.writer;

import java.util.Arrays;

/** Sorts packed keys. Reuses its arrays. Not thread-safe. */
final class RadixSort {
  private static final int DIGIT = 11;
  private static final int BUCKETS = 1 << DIGIT;
  private static final int COMPARISON = 2048;

  private final int[] counts = new int[BUCKETS];
  private long[] other = {};

  /**
   * Sorts the first {@code n} entries by their high 32 bits, unsigned, if these are distinct and
   * the low 32 bits are a payload.
   */
  void sortByHighBits(long[] packed, int n) {
    if (n <= COMPARISON) {
      // Distinct high bits: flipping the sign makes the signed order the unsigned one, the payload
      // decides nothing.
      for (int i = 0; i < n; i++) {
        packed[i] ^= Long.MIN_VALUE;
      }
      Arrays.sort(packed, 0, n);
      for (int i = 0; i < n; i++) {
        packed[i] ^= Long.MIN_VALUE;
      }
      return;
    }
    if (other.length < n) {
      other = new long[n];
    }
    for (int shift = 32; shift < 64; shift += DIGIT) {
      Arrays.fill(counts, 0);
      for (int i = 0; i < n; i++) {
        counts[(int) (packed[i] >>> shift) & (BUCKETS - 1)]++;
      }
      int at = 0;
      for (int b = 0; b < BUCKETS; b++) {
        int count = counts[b];
        counts[b] = at;
        at += count;
      }
      for (int i = 0; i < n; i++) {
        other[counts[(int) (packed[i] >>> shift) & (BUCKETS - 1)]++] = packed[i];
      }
      System.arraycopy(other, 0, packed, 0, n);
    }
  }
}
