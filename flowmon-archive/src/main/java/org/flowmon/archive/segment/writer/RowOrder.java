package org.flowmon.archive.segment.writer;

/**
 * Sorts rows by three keys, stable. Radix sort, least significant digit first, over as many bits as
 * the keys differ in; runs of equal first keys are then ordered by the second, and so on. Rows
 * already in order cost one pass. Reuses its arrays. Not thread-safe.
 */
final class RowOrder {
  private static final int DIGIT = 11;
  private static final int BUCKETS = 1 << DIGIT;
  private static final int INSERTION = 24;

  private final int[] counts = new int[BUCKETS];
  private int[] order = {};
  private int[] other = {};

  /**
   * Sorts rows 0 … n − 1.
   *
   * @return the rows in order; valid until the next call
   */
  int[] sort(long[] first, long[] second, long[] third, int n) {
    if (order.length < n) {
      order = new int[n];
      other = new int[n];
    }
    for (int i = 0; i < n; i++) {
      order[i] = i;
    }
    sortRange(new long[][] {first, second, third}, 0, 0, n);
    return order;
  }

  private void sortRange(long[][] keys, int level, int from, int to) {
    long[] key = keys[level];
    if (to - from <= INSERTION) {
      insertionSort(keys, level, from, to);
      return;
    }
    if (!isSorted(key, from, to)) {
      radixSort(key, from, to);
    }
    if (level + 1 == keys.length) {
      return;
    }
    for (int start = from; start < to; ) {
      int end = start + 1;
      while (end < to && key[order[end]] == key[order[start]]) {
        end++;
      }
      if (end - start > 1) {
        sortRange(keys, level + 1, start, end);
      }
      start = end;
    }
  }

  private boolean isSorted(long[] key, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      if (key[order[i - 1]] > key[order[i]]) {
        return false;
      }
    }
    return true;
  }

  private void insertionSort(long[][] keys, int level, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int row = order[i];
      int at = i;
      while (at > from && isAfter(keys, level, order[at - 1], row)) {
        order[at] = order[at - 1];
        at--;
      }
      order[at] = row;
    }
  }

  private static boolean isAfter(long[][] keys, int level, int a, int b) {
    for (int k = level; k < keys.length; k++) {
      if (keys[k][a] != keys[k][b]) {
        return keys[k][a] > keys[k][b];
      }
    }
    return false;
  }

  private void radixSort(long[] key, int from, int to) {
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (int i = from; i < to; i++) {
      min = Math.min(min, key[order[i]]);
      max = Math.max(max, key[order[i]]);
    }
    int bits =
        64
            - Long.numberOfLeadingZeros(
                max - min); // unsigned: any two longs differ by less than 2^64
    for (int shift = 0; shift < bits; shift += DIGIT) {
      pass(key, min, shift, from, to);
    }
  }

  private void pass(long[] key, long min, int shift, int from, int to) {
    java.util.Arrays.fill(counts, 0);
    for (int i = from; i < to; i++) {
      counts[(int) ((key[order[i]] - min) >>> shift) & (BUCKETS - 1)]++;
    }
    int at = from;
    for (int b = 0; b < BUCKETS; b++) {
      int count = counts[b];
      counts[b] = at;
      at += count;
    }
    for (int i = from; i < to; i++) {
      int row = order[i];
      other[counts[(int) ((key[row] - min) >>> shift) & (BUCKETS - 1)]++] = row;
    }
    System.arraycopy(other, from, order, from, to - from);
  }
}
