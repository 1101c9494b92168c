package org.flowmon.udaf.order;

import java.util.Arrays;

/**
 * Radix sort of unsigned longs by all their bits, with numbers of rows beside them: stable, from
 * the lowest digit on, over the bits in which the longs differ. Longs that are in order cost one
 * look at each. Signed longs need their sign bit flipped. Keeps its arrays for the next sort. Not
 * thread-safe.
 */
public final class RadixSort {
  // For fewer longs, counting digits takes longer than comparing.
  private static final int FEW = 64;

  private static final int MIN_DIGIT_BITS = 6;
  private static final int MAX_DIGIT_BITS = 11;

  // With more digits, the places of keys and of rows no longer fit into a core's caches.
  private static final int MAX_DIGIT_BITS_WITH_ROWS = 8;

  // Longs between two cancellation checks.
  private static final int CHECKED = 1 << 18;

  private static final int[] NO_ROWS = {};

  private int[] starts = {};
  private long[] spareKeys = {};
  private int[] spareRows = {};

  /**
   * Sorts the places {@code from} … {@code to} − 1; rows move as the keys do, and keep their order
   * if those are equal. {@code check} runs now and then, and may throw to end the sort.
   */
  public void sort(long[] keys, int[] rows, int from, int to, Runnable check) {
    int n = to - from;
    if (n < FEW) {
      insert(keys, rows, from, to);
      return;
    }
    long differ = difference(keys, from, to);
    if (differ == 0) {
      return;
    }
    if (spareKeys.length < n) {
      spareKeys = new long[n];
    }
    if (spareRows.length < n) {
      spareRows = new int[n];
    }
    sort(keys, rows, from, n, differ, spareKeys, spareRows, check);
  }

  /** Sorts the first n longs; {@code spare} has room for as many, and its content is lost. */
  public void sort(long[] keys, int n, long[] spare, Runnable check) {
    if (n < FEW) {
      insert(keys, NO_ROWS, 0, n);
      return;
    }
    long differ = difference(keys, 0, n);
    if (differ != 0) {
      sort(keys, NO_ROWS, 0, n, differ, spare, NO_ROWS, check);
    }
  }

  /** The bits in which some keys differ; 0 if they are in order already. */
  private static long difference(long[] keys, int from, int to) {
    long differ = 0;
    boolean ascending = true;
    for (int i = from + 1; i < to; i++) {
      differ |= keys[i] ^ keys[from];
      ascending &= Long.compareUnsigned(keys[i - 1], keys[i]) <= 0;
    }
    return ascending ? 0 : differ;
  }

  private static void insert(long[] keys, int[] rows, int from, int to) {
    boolean hasRows = rows.length > 0;
    for (int i = from + 1; i < to; i++) {
      long key = keys[i];
      int place = i;
      while (place > from && Long.compareUnsigned(keys[place - 1], key) > 0) {
        place--;
      }
      System.arraycopy(keys, place, keys, place + 1, i - place);
      keys[place] = key;
      if (hasRows) {
        int row = rows[i];
        System.arraycopy(rows, place, rows, place + 1, i - place);
        rows[place] = row;
      }
    }
  }

  private void sort(
      long[] keys,
      int[] rows,
      int from,
      int n,
      long differ,
      long[] otherKeys,
      int[] otherRows,
      Runnable check) {
    int lowest = Long.numberOfTrailingZeros(differ);
    int bits = Long.SIZE - Long.numberOfLeadingZeros(differ) - lowest;
    int limit = rows.length > 0 ? MAX_DIGIT_BITS_WITH_ROWS : MAX_DIGIT_BITS;
    int most = Math.min(limit, Math.max(MIN_DIGIT_BITS, digitBits(n)));
    int passes = (bits + most - 1) / most;
    int digit = (bits + passes - 1) / passes;
    long[] keysFrom = keys;
    int[] rowsFrom = rows;
    int at = from;
    long[] keysTo = otherKeys;
    int[] rowsTo = otherRows;
    int other = 0;
    for (int pass = 0; pass < passes; pass++) {
      int shift = lowest + pass * digit;
      int mask = (1 << digit) - 1;
      if ((differ >>> shift & mask) == 0) {
        continue;
      }
      count(keysFrom, at, n, shift, mask, other, check);
      move(keysFrom, rowsFrom, at, n, shift, mask, keysTo, rowsTo, check);
      long[] sortedKeys = keysTo;
      int[] sortedRows = rowsTo;
      int sortedAt = other;
      keysTo = keysFrom;
      rowsTo = rowsFrom;
      other = at;
      keysFrom = sortedKeys;
      rowsFrom = sortedRows;
      at = sortedAt;
    }
    if (keysFrom != keys) {
      System.arraycopy(keysFrom, at, keys, from, n);
      System.arraycopy(rowsFrom, at, rows, from, rows.length == 0 ? 0 : n);
    }
  }

  /** With fewer digits than keys, counting them costs less than moving the keys. */
  private static int digitBits(int keys) {
    return Integer.SIZE - 1 - Integer.numberOfLeadingZeros(keys) - 1;
  }

  private void count(long[] keys, int from, int n, int shift, int mask, int to, Runnable check) {
    if (starts.length <= mask) {
      starts = new int[mask + 1];
    }
    Arrays.fill(starts, 0, mask + 1, 0);
    for (int block = from; block < from + n; block += CHECKED) {
      check.run();
      for (int i = block; i < Math.min(block + CHECKED, from + n); i++) {
        starts[(int) (keys[i] >>> shift) & mask]++;
      }
    }
    int next = to;
    for (int d = 0; d <= mask; d++) {
      int count = starts[d];
      starts[d] = next;
      next += count;
    }
  }

  private void move(
      long[] keys,
      int[] rows,
      int from,
      int n,
      int shift,
      int mask,
      long[] keysTo,
      int[] rowsTo,
      Runnable check) {
    boolean hasRows = rows.length > 0;
    for (int block = from; block < from + n; block += CHECKED) {
      check.run();
      for (int i = block; i < Math.min(block + CHECKED, from + n); i++) {
        long key = keys[i];
        int place = starts[(int) (key >>> shift) & mask]++;
        keysTo[place] = key;
        if (hasRows) {
          rowsTo[place] = rows[i];
        }
      }
    }
  }
}
