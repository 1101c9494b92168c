package org.flowmon.jobs.report.matrix;

import java.util.List;
import java.util.stream.IntStream;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a table's rows, to sort and join without an object per row. By column: addresses as
 * unsigned 128 bits, texts by chars, whole numbers and times by value, {@code false} before {@code
 * true}; NULL, a key like any other, last.
 */
public final class RowKeys {
  private final int rows;
  private final ValueKind[] kinds;
  private final long[][] high;
  private final long[][] low;
  private final String[][] text;
  private final boolean[][] isNull; // null for a column without NULLs
  private int @Nullable [] order; // null until it is asked for

  public RowKeys(ResultTable table, List<String> names) {
    rows = table.rowCount();
    int n = names.size();
    kinds = new ValueKind[n];
    high = new long[n][];
    low = new long[n][];
    text = new String[n][];
    isNull = new boolean[n][];
    for (int k = 0; k < n; k++) {
      read(table, table.column(names.get(k)), k);
    }
  }

  private void read(ResultTable table, int column, int k) {
    kinds[k] = table.kind(column);
    if (table.hasNulls(column)) {
      isNull[k] = new boolean[rows];
      for (int row = 0; row < rows; row++) {
        isNull[k][row] = table.isNull(row, column);
      }
    }
    switch (kinds[k]) {
      case ADDRESS -> {
        high[k] = table.highs(column);
        low[k] = table.lows(column);
      }
      case TEXT -> {
        text[k] = new String[rows];
        for (int row = 0; row < rows; row++) {
          text[k][row] = table.text(row, column);
        }
      }
      default -> low[k] = table.lows(column);
    }
  }

  int rows() {
    return rows;
  }

  public boolean isSame(int row, int other) {
    return compare(row, this, other) == 0;
  }

  /** {@code other} has keys of the same kinds. */
  int compare(int row, RowKeys other, int otherRow) {
    for (int k = 0; k < kinds.length; k++) {
      boolean mine = isNull[k] != null && isNull[k][row];
      boolean its = other.isNull[k] != null && other.isNull[k][otherRow];
      int order = mine || its ? Boolean.compare(mine, its) : compare(k, row, other, otherRow);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  private int compare(int k, int row, RowKeys other, int otherRow) {
    return switch (kinds[k]) {
      case ADDRESS -> {
        int order = Long.compareUnsigned(high[k][row], other.high[k][otherRow]);
        yield order != 0 ? order : Long.compareUnsigned(low[k][row], other.low[k][otherRow]);
      }
      case TEXT -> text[k][row].compareTo(other.text[k][otherRow]);
      case DOUBLE ->
          Double.compare(
              Double.longBitsToDouble(low[k][row]),
              Double.longBitsToDouble(other.low[k][otherRow]));
      default -> Long.compare(low[k][row], other.low[k][otherRow]);
    };
  }

  /** All rows in the order of keys, equal ones in the table's. The array is not to be changed. */
  public int[] order() {
    if (order == null) {
      order = IntStream.range(0, rows).toArray();
      if (!isInOrder(0)) {
        sort(order, new int[rows], 0, rows);
      }
    }
    return order;
  }

  /** In order, no two the same, as in answers. */
  boolean areDistinctInOrder() {
    return isInOrder(-1);
  }

  /** {@code most}: 0, rows may have the same; −1, no two have. */
  private boolean isInOrder(int most) {
    for (int row = 1; row < rows; row++) {
      if (compare(row - 1, this, row) > most) {
        return false;
      }
    }
    return true;
  }

  private void sort(int[] sorted, int[] scratch, int from, int to) {
    if (to - from < 2) {
      return;
    }
    int middle = (from + to) >>> 1;
    sort(sorted, scratch, from, middle);
    sort(sorted, scratch, middle, to);
    if (compare(sorted[middle - 1], this, sorted[middle]) <= 0) {
      return; // rows of several answers are in order for long stretches
    }
    System.arraycopy(sorted, from, scratch, from, middle - from);
    int left = from;
    int right = middle;
    for (int at = from; left < middle; at++) {
      boolean takeLeft = right == to || compare(scratch[left], this, sorted[right]) <= 0;
      sorted[at] = takeLeft ? scratch[left++] : sorted[right++];
    }
  }

  /** The first row of the keys of another's; −1 if there is none. */
  public int find(RowKeys other, int otherRow) {
    int[] sorted = order();
    int from = 0;
    int to = rows;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (compare(sorted[middle], other, otherRow) < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from < rows && compare(sorted[from], other, otherRow) == 0 ? sorted[from] : -1;
  }
}
