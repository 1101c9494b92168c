package org.flowmon.udaf.table;

/** Sorts rows by one unsigned long each, rows of equal ones by an order. */
final class RowSort {
  private RowSort() {}

  /**
   * All rows in order.
   *
   * @param keys by row; compared as unsigned
   * @param ties the order of rows whose keys are equal
   */
  static int[] sort(long[] keys, int rows, FirstRows.Order ties) {
    int[] order = new int[rows];
    long differ = 0;
    boolean ascending = true;
    for (int i = 0; i < rows; i++) {
      order[i] = i;
      differ |= keys[i] ^ keys[0];
      ascending &= i == 0 || Long.compareUnsigned(keys[i - 1], keys[i]) <= 0;
    }
    if (ascending) {
      differ = 0; // as rows of an archive come by time
    }
    int[] other = new int[rows];
    for (int shift = 0; shift < 64; shift += 8) {
      if ((differ >>> shift & 0xFF) != 0) {
        pass(keys, order, other, shift);
        int[] sorted = other;
        other = order;
        order = sorted;
      }
    }
    for (int from = 0; from < rows; ) {
      int to = from + 1;
      while (to < rows && keys[order[to]] == keys[order[from]]) {
        to++;
      }
      if (to - from > 1) {
        merge(order, other, from, to, ties);
      }
      from = to;
    }
    return order;
  }

  /** One stable pass by the byte at a shift. */
  private static void pass(long[] keys, int[] from, int[] to, int shift) {
    int[] starts = new int[257];
    for (int row : from) {
      starts[(int) (keys[row] >>> shift & 0xFF) + 1]++;
    }
    for (int b = 0; b < 256; b++) {
      starts[b + 1] += starts[b];
    }
    for (int row : from) {
      to[starts[(int) (keys[row] >>> shift & 0xFF)]++] = row;
    }
  }

  private static void merge(int[] rows, int[] scratch, int from, int to, FirstRows.Order order) {
    if (to - from < 2) {
      return;
    }
    int middle = (from + to) >>> 1;
    merge(rows, scratch, from, middle, order);
    merge(rows, scratch, middle, to, order);
    if (order.compare(rows[middle - 1], rows[middle]) <= 0) {
      return;
    }
    System.arraycopy(rows, from, scratch, from, middle - from);
    int left = from;
    int right = middle;
    for (int at = from; left < middle; at++) {
      boolean takeLeft = right == to || order.compare(scratch[left], rows[right]) <= 0;
      rows[at] = takeLeft ? scratch[left++] : rows[right++];
    }
  }
}
