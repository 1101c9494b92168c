package org.flowmon.archive.segment.writer;

import org.flowmon.udaf.order.RadixSort;

/** Sorts rows stably by three keys, each within runs of the one before. Reused. Not thread-safe. */
final class RowOrder {
  private final RadixSort radix = new RadixSort();
  private int[] order = {};
  private long[] keys = {};

  /** Sorts rows 0 … n − 1, and {@code first} too; the result is valid until the next call. */
  int[] sort(long[] first, long[] second, long[] third, int n) {
    if (order.length < n) {
      order = new int[n];
    }
    for (int row = 0; row < n; row++) {
      order[row] = row;
      first[row] ^= Long.MIN_VALUE; // keys are compared as unsigned
    }
    radix.sort(first, order, 0, n, () -> {});
    for (int row = 0; row < n; row++) {
      first[row] ^= Long.MIN_VALUE;
    }
    sortRuns(first, 0, n, new long[][] {second, third}, 0);
    return order;
  }

  private void sortRuns(long[] sorted, int from, int to, long[][] following, int level) {
    for (int start = from; level < following.length && start < to; ) {
      int end = start + 1;
      while (end < to && sorted[end] == sorted[start]) {
        end++;
      }
      if (end - start > 1) {
        if (keys.length < end) {
          keys = new long[to]; // of the first level: all others are within its runs
        }
        for (int i = start; i < end; i++) {
          keys[i] = following[level][order[i]] ^ Long.MIN_VALUE;
        }
        radix.sort(keys, order, start, end, () -> {});
        sortRuns(keys, start, end, following, level + 1);
      }
      start = end;
    }
  }
}
