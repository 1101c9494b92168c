package org.flowmon.udaf.table;

import java.util.Arrays;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.expression.TextOrder;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;

/** A growing column of values of one kind, in the order of their rows. */
final class ValueColumn {
  private final ValueKind kind;
  private long[] values = new long[16];
  private long[] high;
  private String[] texts;
  private boolean[] isNull = new boolean[16];

  ValueColumn(ValueKind kind) {
    this.kind = kind;
    this.high = kind == ValueKind.ADDRESS ? new long[16] : null;
    this.texts = kind == ValueKind.TEXT ? new String[16] : null;
  }

  /** Appends value i of a vector as row {@code row}. */
  void set(int row, Vector vector, int i) {
    if (row == values.length) {
      values = Arrays.copyOf(values, 2 * row);
      isNull = Arrays.copyOf(isNull, 2 * row);
      high = high == null ? null : Arrays.copyOf(high, 2 * row);
      texts = texts == null ? null : Arrays.copyOf(texts, 2 * row);
    }
    isNull[row] = !vector.isValid(i);
    values[row] = vector.values()[i];
    if (high != null) {
      high[row] = vector.high()[i];
    }
    if (texts != null) {
      texts[row] = vector.texts()[i];
    }
  }

  boolean isNull(int row) {
    return isNull[row];
  }

  /** The order of two values that are not NULL. */
  int compare(int a, int b) {
    if (kind == null) {
      return 0;
    }
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
  void keep(int[] rows) {
    ValueColumn old = new ValueColumn(kind);
    old.values = values;
    old.isNull = isNull;
    old.high = high;
    old.texts = texts;
    int capacity = Math.max(16, rows.length);
    values = new long[capacity];
    isNull = new boolean[capacity];
    high = high == null ? null : new long[capacity];
    texts = texts == null ? null : new String[capacity];
    for (int i = 0; i < rows.length; i++) {
      values[i] = old.values[rows[i]];
      isNull[i] = old.isNull[rows[i]];
      if (high != null) {
        high[i] = old.high[rows[i]];
      }
      if (texts != null) {
        texts[i] = old.texts[rows[i]];
      }
    }
  }

  /** Writes a row's value as a cell of the builder's last row. */
  void write(int row, ResultTable.Builder builder, int column) {
    if (isNull[row]) {
      return;
    }
    switch (kind) {
      case ADDRESS -> builder.set(column, high[row], values[row]);
      case TEXT -> builder.set(column, texts[row]);
      default -> builder.set(column, values[row]);
    }
  }
}
