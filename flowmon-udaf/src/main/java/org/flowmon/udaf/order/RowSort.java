package org.flowmon.udaf.order;

import java.util.Arrays;

/** Sorts rows by one unsigned long each, byte by byte from the lowest on. */
public final class RowSort {
  // For fewer rows, counting bytes takes longer than comparing.
  private static final int FEW = 64;

  // Rows between two cancellation checks.
  private static final int CHECKED = 1 << 18;

  private long[] keys;
  private int[] rows;

  /**
   * Sorts all rows.
   *
   * @param keys by row, compared as unsigned; sorted afterwards
   * @param ties the order of rows whose keys are equal
   * @param check runs before each pass, and may throw to end the sort
   */
  public static int[] sort(long[] keys, int rows, FirstRows.Order ties, Runnable check) {
    int[] order = new int[rows];
    for (int i = 0; i < rows; i++) {
      order[i] = i;
    }
    new RowSort().sort(keys, order, 0, rows, check);
    for (int from = 0; from < rows; ) {
      int to = from + 1;
      while (to < rows && keys[to] == keys[from]) {
        to++;
      }
      merge(order, from, to, ties);
      from = to;
    }
    return order;
  }

  /**
   * Sorts the places {@code from} … {@code to} − 1 of both arrays; rows of equal keys keep their
   * order.
   *
   * @param check runs before each pass, and may throw to end the sort
   */
  public void sort(long[] keysOf, int[] rowsOf, int from, int to, Runnable check) {
    long differ = 0;
    boolean ascending = true;
    for (int i = from + 1; i < to; i++) {
      differ |= keysOf[i] ^ keysOf[from];
      ascending &= Long.compareUnsigned(keysOf[i - 1], keysOf[i]) <= 0;
    }
    if (ascending) {
      return; // as rows of an archive, which come by time
    }
    if (to - from < FEW) {
      insert(keysOf, rowsOf, from, to);
      return;
    }
    int n = to - from;
    if (keys == null || keys.length < n) {
      keys = new long[n];
      rows = new int[n];
    }
    long[] keysFrom = keysOf;
    int[] rowsFrom = rowsOf;
    int at = from;
    long[] keysTo = keys;
    int[] rowsTo = rows;
    int other = 0;
    for (int shift = 0; shift < 64; shift += 8) {
      if ((differ >>> shift & 0xFF) == 0) {
        continue;
      }
      pass(keysFrom, rowsFrom, at, n, shift, keysTo, rowsTo, other, check);
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
    if (keysFrom != keysOf) {
      System.arraycopy(keysFrom, at, keysOf, from, n);
      System.arraycopy(rowsFrom, at, rowsOf, from, n);
    }
  }

  private static void insert(long[] keys, int[] rows, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      long key = keys[i];
      int row = rows[i];
      int at = i;
      for (; at > from && Long.compareUnsigned(keys[at - 1], key) > 0; at--) {
        keys[at] = keys[at - 1];
        rows[at] = rows[at - 1];
      }
      keys[at] = key;
      rows[at] = row;
    }
  }

  /** One stable pass by the byte at a shift. */
  private static void pass(
      long[] keys,
      int[] rows,
      int from,
      int n,
      int shift,
      long[] keysTo,
      int[] rowsTo,
      int to,
      Runnable check) {
    int[] starts = new int[257];
    for (int block = from; block < from + n; block += CHECKED) {
      check.run();
      for (int i = block; i < Math.min(block + CHECKED, from + n); i++) {
        starts[(int) (keys[i] >>> shift & 0xFF) + 1]++;
      }
    }
    starts[0] = to;
    for (int b = 0; b < 256; b++) {
      starts[b + 1] += starts[b];
    }
    for (int block = from; block < from + n; block += CHECKED) {
      check.run();
      for (int i = block; i < Math.min(block + CHECKED, from + n); i++) {
        long key = keys[i];
        int place = starts[(int) (key >>> shift & 0xFF)]++;
        keysTo[place] = key;
        rowsTo[place] = rows[i];
      }
    }
  }

  /** Sorts the places {@code from} … {@code to} − 1 by an order. */
  public static void merge(int[] rows, int from, int to, FirstRows.Order order) {
    if (to - from < 2) {
      return;
    }
    merge(rows, Arrays.copyOfRange(rows, from, to), from, to, from, order);
  }

  private static void merge(
      int[] rows, int[] scratch, int from, int to, int base, FirstRows.Order order) {
    if (to - from < 2) {
      return;
    }
    int middle = (from + to) >>> 1;
    merge(rows, scratch, from, middle, base, order);
    merge(rows, scratch, middle, to, base, order);
    if (order.compare(rows[middle - 1], rows[middle]) <= 0) {
      return;
    }
    System.arraycopy(rows, from, scratch, from - base, middle - from);
    int left = from;
    int right = middle;
    for (int at = from; left < middle; at++) {
      boolean takeLeft = right == to || order.compare(scratch[left - base], rows[right]) <= 0;
      rows[at] = takeLeft ? scratch[left++ - base] : rows[right++];
    }
  }
}
