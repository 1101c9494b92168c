package org.flowmon.udaf.result;

import java.util.Arrays;
import java.util.Objects;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.TextOrder;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** The values of an expression over some groups in their order, as arrays. Immutable. */
final class ComputedColumn {
  private final @Nullable ValueKind kind; // null: every row is NULL
  private final long[] low;
  private final @Nullable String[] texts;
  private final boolean[] isNull;
  private long[] high; // of addresses and of numbers beyond 64 bits, else empty

  private ComputedColumn(@Nullable ValueKind kind, int rows) {
    this.kind = kind;
    this.low = new long[kind == null || kind == ValueKind.TEXT ? 0 : rows];
    this.high = new long[kind == ValueKind.ADDRESS ? rows : 0];
    this.texts = new String[kind == ValueKind.TEXT ? rows : 0];
    this.isNull = new boolean[rows];
  }

  static ComputedColumn of(GroupTable table, FlowQuery query, Expression what, int[] groups) {
    GroupBlocks blocks = new GroupBlocks(table, query, what);
    CompiledExpression compiled = CompiledExpression.of(what, blocks.vectors());
    Vector vector = compiled.newVector();
    ComputedColumn column = new ComputedColumn(compiled.kind(), groups.length);
    blocks.read(
        groups,
        (from, n) -> {
          compiled.evaluate(n, vector);
          column.take(vector, from, n);
        });
    return column;
  }

  private void take(Vector vector, int from, int n) {
    if (kind == ValueKind.TEXT) {
      System.arraycopy(vector.requireTexts(), 0, texts, from, n);
    } else if (low.length > 0) {
      System.arraycopy(vector.values(), 0, low, from, n);
    }
    if (kind == ValueKind.ADDRESS) {
      System.arraycopy(vector.requireHigh(), 0, high, from, n);
    } else if (high.length > 0 || vector.isWide()) {
      widen(from);
      for (int i = 0; i < n; i++) {
        high[from + i] = vector.upper(i);
      }
    }
    for (int i = 0; i < n; i++) {
      isNull[from + i] = !vector.isValid(i);
    }
  }

  /** Makes room for upper longs, including those of earlier rows. */
  private void widen(int filled) {
    if (high.length == 0) {
      high = new long[low.length];
      Arrays.setAll(high, row -> row < filled ? low[row] >> 63 : 0);
    }
  }

  void fill(AnswerColumns columns, int column) {
    columns.set(column, low, high, texts, isNull);
  }

  boolean isNull(int row) {
    return isNull[row];
  }

  /** Compares two values that are not NULL. */
  int compare(int a, int b) {
    return switch (Objects.requireNonNull(kind)) {
      case ADDRESS -> IpAddress.compare(high[a], low[a], high[b], low[b]);
      case TEXT -> TextOrder.compare(texts[a], texts[b]);
      case DOUBLE ->
          compareDoubles(Double.longBitsToDouble(low[a]), Double.longBitsToDouble(low[b]));
      default ->
          high.length == 0
              ? Long.compare(low[a], low[b])
              : Int128.compare(high[a], low[a], high[b], low[b]);
    };
  }

  /** Compares doubles; zeros are equal whatever their sign. */
  private static int compareDoubles(double a, double b) {
    return a == b ? 0 : Double.compare(a, b);
  }
}
