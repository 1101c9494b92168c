package org.flowmon.udaf.order;

import java.util.Arrays;

/** Sorts rows by numbers, by an order, or by both. */
public final class RowSort {
  private RowSort() {}

  /** Sorts rows by unsigned keys, which are sorted afterwards, then by {@code ties}. */
  public static int[] sort(long[] keys, int rows, FirstRows.Order ties, Runnable check) {
    int[] order = new int[rows];
    for (int i = 0; i < rows; i++) {
      order[i] = i;
    }
    new RadixSort().sort(keys, order, 0, rows, check);
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
