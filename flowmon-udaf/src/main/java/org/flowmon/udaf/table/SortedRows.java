package org.flowmon.udaf.table;

/**
 * All rows of an order: a merge sort that leaves runs which are in order as they are, so that rows
 * that come nearly sorted, as those of an archive do by time, cost little more than one pass.
 */
final class SortedRows {
  private static final int INSERTION = 12;

  private final FirstRows.Order order;
  private final int[] rows;
  private int[] spare = {};

  private SortedRows(int count, FirstRows.Order order) {
    this.order = order;
    this.rows = new int[count];
    for (int i = 0; i < count; i++) {
      rows[i] = i;
    }
  }

  /** Rows 0 … {@code count} − 1 in order; equal ones stay as they are. */
  static int[] of(int count, FirstRows.Order order) {
    SortedRows sorted = new SortedRows(count, order);
    sorted.sort(0, count);
    return sorted.rows;
  }

  /**
   * As {@link #of(int, FirstRows.Order)}, where numbers decide first.
   *
   * @param keys of each row; {@code order} is that of these, and more
   * @param descending whether large keys come first
   */
  static int[] of(int count, long[] keys, boolean descending, FirstRows.Order order) {
    int[] byKey =
        of(
            count,
            descending
                ? (a, b) -> Long.compare(keys[b], keys[a])
                : (a, b) -> Long.compare(keys[a], keys[b]));
    SortedRows within = new SortedRows(0, order);
    for (int from = 0; from < count; ) {
      int to = from + 1;
      while (to < count && keys[byKey[to]] == keys[byKey[from]]) {
        to++;
      }
      within.sortRun(byKey, from, to);
      from = to;
    }
    return byKey;
  }

  private void sortRun(int[] target, int from, int to) {
    if (to - from <= INSERTION) {
      insertionSort(target, from, to);
      return;
    }
    SortedRows run =
        new SortedRows(to - from, (a, b) -> order.compare(target[from + a], target[from + b]));
    run.sort(0, to - from);
    int[] sorted = new int[to - from];
    for (int i = 0; i < sorted.length; i++) {
      sorted[i] = target[from + run.rows[i]];
    }
    System.arraycopy(sorted, 0, target, from, sorted.length);
  }

  private void insertionSort(int[] target, int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int row = target[i];
      int at = i;
      while (at > from && order.compare(target[at - 1], row) > 0) {
        target[at] = target[at - 1];
        at--;
      }
      target[at] = row;
    }
  }

  private void sort(int from, int to) {
    if (to - from <= INSERTION) {
      insertionSort(rows, from, to);
      return;
    }
    int middle = (from + to) >>> 1;
    sort(from, middle);
    sort(middle, to);
    if (order.compare(rows[middle - 1], rows[middle]) > 0) {
      merge(from, middle, to);
    }
  }

  private void merge(int from, int middle, int to) {
    int left = middle - from;
    if (spare.length < left) {
      spare = new int[Math.max(left, rows.length / 2)];
    }
    System.arraycopy(rows, from, spare, 0, left);
    int at = from;
    int i = 0;
    int j = middle;
    while (i < left && j < to) {
      rows[at++] = order.compare(spare[i], rows[j]) <= 0 ? spare[i++] : rows[j++];
    }
    System.arraycopy(spare, i, rows, at, left - i);
  }
}
