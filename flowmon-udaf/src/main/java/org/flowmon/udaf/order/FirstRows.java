package org.flowmon.udaf.order;

/** The first rows of an order, by a bounded heap: n log k comparisons and k places. */
public final class FirstRows {
  /** A total order of rows. */
  @FunctionalInterface
  public interface Order {
    int compare(int rowA, int rowB);
  }

  private FirstRows() {}

  /** The first {@code wanted} ≤ {@code rows} of rows 0 … {@code rows} − 1 in order. */
  public static int[] of(int rows, int wanted, Order order) {
    int[] heap = new int[wanted];
    if (wanted == 0) {
      return heap;
    }
    for (int i = 0; i < wanted; i++) {
      heap[i] = i;
    }
    for (int i = wanted / 2 - 1; i >= 0; i--) {
      sink(heap, i, wanted, order);
    }
    for (int row = wanted; row < rows; row++) {
      if (order.compare(row, heap[0]) < 0) {
        heap[0] = row;
        sink(heap, 0, wanted, order);
      }
    }
    // The root is the last in order: removed again and again, it fills the array from the end.
    for (int end = wanted - 1; end > 0; end--) {
      int last = heap[0];
      heap[0] = heap[end];
      heap[end] = last;
      sink(heap, 0, end, order);
    }
    return heap;
  }

  private static void sink(int[] heap, int start, int size, Order order) {
    int at = start;
    while (2 * at + 1 < size) {
      int child = 2 * at + 1;
      if (child + 1 < size && order.compare(heap[child + 1], heap[child]) > 0) {
        child++;
      }
      if (order.compare(heap[at], heap[child]) >= 0) {
        return;
      }
      int moved = heap[at];
      heap[at] = heap[child];
      heap[child] = moved;
      at = child;
    }
  }
}
