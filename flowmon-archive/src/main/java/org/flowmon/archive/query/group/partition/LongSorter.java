package org.flowmon.archive.query.group.partition;

import java.util.Arrays;

/**
 * Radix sort of longs by some of their bits, lowest digit first. Apart from {@link
 * org.flowmon.udaf.order.RadixSort} because low bits are carried along unsorted, callers know the
 * significant bits, two digits are counted at once, and nothing is copied back. Not thread-safe.
 */
public final class LongSorter {
  /** The arrays of as many longs as are sorted. */
  public static final int ARRAYS = 2;

  private static final int MAX_DIGIT_BITS = 13;
  private static final int MIN_DIGIT_BITS = 6;

  private long[] longs = {};
  private long[] other = {};
  private int[] starts = {};

  /** An array for n longs to be sorted, with arbitrary content. */
  public long[] room(int n) {
    longs = longs.length < n ? new long[n] : longs;
    other = other.length < n ? new long[n] : other;
    return longs;
  }

  public void release() {
    longs = new long[0];
    other = new long[0];
  }

  /**
   * Sorts the first n longs of {@link #room}, stably, by {@code bits} bits above {@code shift}
   * ignored ones; those further above are 0. Longs are compared by their difference from the
   * minimum {@code base}, in two's complement. The result is valid until the next call.
   */
  public long[] sort(int n, long base, int shift, int bits) {
    int most = Math.max(MIN_DIGIT_BITS, Math.min(MAX_DIGIT_BITS, bits(n) - 1));
    int passes = (bits + most - 1) / most;
    if (passes == 0) {
      return longs;
    }
    int digitBits = (bits + passes - 1) / passes;
    int digits = 1 << digitBits;
    if (starts.length < passes << digitBits) {
      starts = new int[passes << digitBits];
    }
    Arrays.fill(starts, 0, passes << digitBits, 0);
    int counted = 0;
    for (; counted + 1 < passes; counted += 2) {
      countTwo(n, base, shift + counted * digitBits, digitBits, counted << digitBits);
    }
    if (counted < passes) {
      count(n, base, shift + counted * digitBits, digits, counted << digitBits);
    }
    for (int pass = 0; pass < passes; pass++) {
      int first = pass << digitBits;
      int sum = 0;
      for (int digit = first; digit < first + digits; digit++) {
        int size = starts[digit];
        starts[digit] = sum;
        sum += size;
      }
      move(n, base, shift + pass * digitBits, digits, first);
    }
    return longs;
  }

  private void count(int n, long base, int shift, int digits, int first) {
    long[] from = longs;
    int[] counts = starts;
    int mask = digits - 1;
    for (int i = 0; i < n; i++) {
      counts[first + ((int) ((from[i] - base) >>> shift) & mask)]++;
    }
  }

  private void countTwo(int n, long base, int shift, int digitBits, int first) {
    long[] from = longs;
    int[] counts = starts;
    int digits = 1 << digitBits;
    int mask = digits - 1;
    int second = first + digits;
    for (int i = 0; i < n; i++) {
      long one = (from[i] - base) >>> shift;
      counts[first + ((int) one & mask)]++;
      counts[second + ((int) (one >>> digitBits) & mask)]++;
    }
  }

  private void move(int n, long base, int shift, int digits, int first) {
    long[] from = longs;
    long[] to = other;
    int[] next = starts;
    int mask = digits - 1;
    for (int i = 0; i < n; i++) {
      long one = from[i];
      to[next[first + ((int) ((one - base) >>> shift) & mask)]++] = one;
    }
    longs = to;
    other = from;
  }

  public static int bits(long number) {
    return Long.SIZE - Long.numberOfLeadingZeros(number);
  }
}
