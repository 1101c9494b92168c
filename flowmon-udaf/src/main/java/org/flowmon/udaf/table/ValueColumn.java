package org.flowmon.udaf.table;

import java.util.Arrays;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.expression.TextOrder;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;

/**
 * A growing column of values of one kind, in the order of their rows. One that is NULL so far has
 * no arrays, and marks of NULLs are kept from the first one on: most columns of most flows are
 * unknown.
 */
final class ValueColumn {
  private final ValueKind kind;
  private int rows;
  private long[] values; // null while every row is NULL; of texts always
  private long[] high;
  private String[] texts;
  private boolean[] isNull; // null while no row is NULL, or while every one is

  ValueColumn(ValueKind kind) {
    this.kind = kind;
  }

  private boolean isEmpty() {
    return values == null && texts == null;
  }

  private int capacity() {
    return isEmpty() ? 0 : texts != null ? texts.length : values.length;
  }

  /**
   * Appends values of a vector.
   *
   * @param selection places in the vector, each less {@code shift}
   */
  void append(Vector vector, int[] selection, int shift, int n) {
    boolean allValid = vector.allValid();
    if (!allValid && isEmpty() && noneValid(vector, selection, shift, n)) {
      rows += n;
      return;
    }
    reserve(rows + n);
    if (n > 0 && selection[n - 1] - selection[0] == n - 1) {
      copyRun(vector, selection[0] - shift, n);
    } else {
      for (int i = 0; i < n; i++) {
        copy(rows + i, vector, selection[i] - shift);
      }
    }
    if (!allValid) {
      markNulls(vector, selection, shift, n);
    }
    rows += n;
  }

  private static boolean noneValid(Vector vector, int[] selection, int shift, int n) {
    for (int i = 0; i < n; i++) {
      if (vector.isValid(selection[i] - shift)) {
        return false;
      }
    }
    return true;
  }

  private void copy(int row, Vector vector, int i) {
    if (texts != null) {
      texts[row] = vector.texts()[i];
      return;
    }
    values[row] = vector.values()[i];
    if (high != null) {
      high[row] = vector.high()[i];
    }
  }

  private void copyRun(Vector vector, int from, int n) {
    if (texts != null) {
      System.arraycopy(vector.texts(), from, texts, rows, n);
      return;
    }
    System.arraycopy(vector.values(), from, values, rows, n);
    if (high != null) {
      System.arraycopy(vector.high(), from, high, rows, n);
    }
  }

  /** Appends so many NULLs. */
  void appendNulls(int n) {
    if (!isEmpty()) {
      reserve(rows + n);
      isNull = isNull == null ? new boolean[capacity()] : isNull;
      Arrays.fill(isNull, rows, rows + n, true);
    }
    rows += n;
  }

  private void markNulls(Vector vector, int[] selection, int shift, int n) {
    for (int i = 0; i < n; i++) {
      if (!vector.isValid(selection[i] - shift)) {
        if (isNull == null) {
          isNull = new boolean[capacity()];
        }
        isNull[rows + i] = true;
      }
    }
  }

  private void reserve(int wanted) {
    if (wanted <= capacity()) {
      return;
    }
    int capacity = Math.max(wanted, Math.max(16, 2 * rows));
    if (isEmpty() && rows > 0) {
      isNull = new boolean[capacity];
      Arrays.fill(isNull, 0, rows, true);
    } else if (isNull != null) {
      isNull = Arrays.copyOf(isNull, capacity);
    }
    if (kind == ValueKind.TEXT) {
      texts = texts == null ? new String[capacity] : Arrays.copyOf(texts, capacity);
      return;
    }
    values = values == null ? new long[capacity] : Arrays.copyOf(values, capacity);
    if (kind == ValueKind.ADDRESS) {
      high = high == null ? new long[capacity] : Arrays.copyOf(high, capacity);
    }
  }

  boolean isNull(int row) {
    return isEmpty() || (isNull != null && isNull[row]);
  }

  /** The values where each is a number whose order is that of longs and none is NULL, else null. */
  long[] sortKeys() {
    boolean isLong = kind != null && kind.isInteger();
    return isLong && values != null && isNull == null ? values : null;
  }

  /** The order of two values that are not NULL. */
  int compare(int a, int b) {
    return switch (kind) {
      case ADDRESS -> IpAddress.compare(high[a], values[a], high[b], values[b]);
      case TEXT -> TextOrder.compare(texts[a], texts[b]);
      case DOUBLE -> compareDoubles(values[a], values[b]);
      default -> Long.compare(values[a], values[b]);
    };
  }

  /** Zeros are equal whatever their sign. */
  private static int compareDoubles(long bitsA, long bitsB) {
    double a = Double.longBitsToDouble(bitsA);
    double b = Double.longBitsToDouble(bitsB);
    return a == b ? 0 : Double.compare(a, b);
  }

  /** Keeps these rows, in this order. */
  void keep(int[] kept) {
    values = gathered(values, kept);
    high = gathered(high, kept);
    texts = gathered(texts, kept);
    isNull = gathered(isNull, kept);
    rows = kept.length;
  }

  private static long[] gathered(long[] from, int[] rows) {
    if (from == null) {
      return null;
    }
    long[] to = new long[rows.length];
    for (int i = 0; i < rows.length; i++) {
      to[i] = from[rows[i]];
    }
    return to;
  }

  private static String[] gathered(String[] from, int[] rows) {
    if (from == null) {
      return null;
    }
    String[] to = new String[rows.length];
    for (int i = 0; i < rows.length; i++) {
      to[i] = from[rows[i]];
    }
    return to;
  }

  private static boolean[] gathered(boolean[] from, int[] rows) {
    if (from == null) {
      return null;
    }
    boolean[] to = new boolean[rows.length];
    for (int i = 0; i < rows.length; i++) {
      to[i] = from[rows[i]];
    }
    return to;
  }

  /** Gives all values to a column of a result, which takes over the arrays. */
  void fill(ResultTable.Builder builder, int column) {
    builder.fill(column, values, high, texts, isNull);
  }
}
