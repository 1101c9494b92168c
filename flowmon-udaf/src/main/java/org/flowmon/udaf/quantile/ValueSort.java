package org.flowmon.udaf.quantile;

import java.util.Arrays;
import java.util.concurrent.CancellationException;

/**
 * Sorts values in place, and stops if its thread is interrupted: a state has millions of values,
 * and its reader may be gone. Values are distributed into 256 runs by the highest byte that
 * differs, and so on (the American flag sort of McIlroy, Bostic and McIlroy, 1993), until runs are
 * short. No order of the values is worse than another.
 */
final class ValueSort {
  // Some ten milliseconds of sorting.
  private static final int SHORT = 1 << 17;
  private static final int BYTES = 256;

  private ValueSort() {}

  /**
   * Sorts the values at {@code from} … {@code to} − 1.
   *
   * @throws CancellationException if the thread is interrupted; it stays interrupted, and values
   *     are in any order
   */
  static void sort(long[] values, int from, int to) {
    checkInterrupted();
    if (to - from <= SHORT) {
      Arrays.sort(values, from, to);
      return;
    }
    long differ = 0;
    for (int i = from + 1; i < to; i++) {
      differ |= values[i] ^ values[from];
    }
    if (differ == 0) {
      return;
    }
    int shift = (Long.SIZE - 1 - Long.numberOfLeadingZeros(differ)) / Byte.SIZE * Byte.SIZE;
    int[] ends = place(values, from, to, shift);
    int start = from;
    for (int end : ends) {
      if (end - start > 1 && shift > 0) {
        sort(values, start, end);
      }
      start = end;
    }
  }

  /**
   * Returns, unless the thread's work is no longer wanted.
   *
   * @throws CancellationException if it is interrupted; it stays interrupted
   */
  static void checkInterrupted() {
    if (Thread.currentThread().isInterrupted()) {
      throw new CancellationException("interrupted while values of a state were put in order");
    }
  }

  /** Distributes values into runs by a byte; returns the end of each run. */
  private static int[] place(long[] values, int from, int to, int shift) {
    int[] ends = new int[BYTES];
    for (int i = from; i < to; i++) {
      ends[digit(values[i], shift)]++;
    }
    int[] next = new int[BYTES];
    int sum = from;
    for (int b = 0; b < BYTES; b++) {
      next[b] = sum;
      sum += ends[b];
      ends[b] = sum;
    }
    int moved = 0;
    for (int b = 0; b < BYTES; b++) {
      while (next[b] < ends[b]) {
        long value = values[next[b]];
        int digit = digit(value, shift);
        while (digit != b) {
          long other = values[next[digit]];
          values[next[digit]++] = value;
          value = other;
          digit = digit(value, shift);
        }
        values[next[b]++] = value;
        if ((++moved & SHORT - 1) == 0) {
          checkInterrupted();
        }
      }
    }
    return ends;
  }

  /**
   * A byte of a value; the sign of the highest byte is flipped, so that negative values are first.
   */
  private static int digit(long value, int shift) {
    return (int) ((value ^ Long.MIN_VALUE) >>> shift) & 0xFF;
  }
}
