package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.group.OrderBound;
import org.flowmon.udaf.result.AnswerColumns;
import org.jspecify.annotations.Nullable;

/** Groups in the order of addresses, the one without last, with their states in sequence. */
final class AddressStates {
  private final GroupLayout layout;
  private final long[] high;
  private final long[] low;
  private final long[] states;
  private final int size;
  private final boolean hasNull;

  /** {@code hasNull}: the last group has no address, {@code high} 0. Arrays may be longer. */
  AddressStates(
      GroupLayout layout, long[] high, long[] low, long[] states, int size, boolean hasNull) {
    this.layout = layout;
    this.high = high;
    this.low = low;
    this.states = states;
    this.size = size;
    this.hasNull = hasNull;
  }

  int size() {
    return size;
  }

  boolean hasNull() {
    return hasNull;
  }

  boolean hasHighs() {
    long any = 0;
    for (int i = 0; i < size; i++) {
      any |= high[i];
    }
    return any != 0;
  }

  long[] states() {
    return states;
  }

  /** {@code bound} leaves out groups that cannot be among the first; null for all of them. */
  void appendTo(GroupTable table, @Nullable OrderBound bound) {
    int stride = layout.stateWords();
    int[] groups = new int[size + 1];
    int n = size;
    if (bound == null) {
      Arrays.setAll(groups, i -> i);
    } else {
      n = bound.choose(states, 0, stride, size, groups);
    }
    int[] places = new int[n];
    long[] highs = new long[n];
    long[] lows = new long[n];
    for (int i = 0; i < n; i++) {
      places[i] = groups[i] * stride;
      highs[i] = high[groups[i]];
      lows[i] = low[groups[i]];
    }
    long[] nulls = new long[n];
    if (hasNull && n > 0 && groups[n - 1] == size - 1) {
      nulls[n - 1] = 1;
    }
    table.append(nulls, new long[][] {highs, lows}, states, places, n);
  }

  void writeTo(AnswerColumns columns, int row, int n) {
    columns.writeAggregates(states, places(n), n, row);
    for (int c = 0; c < columns.count(); c++) {
      if (columns.key(c) >= 0) {
        System.arraycopy(low, 0, columns.low(c), row, n);
        if (columns.high(c).length > 0) {
          System.arraycopy(high, 0, columns.high(c), row, n);
        }
        if (hasNull && n == size) {
          columns.isNull(c)[row + n - 1] = true;
        }
      }
    }
  }

  private int[] places(int n) {
    int[] places = new int[n];
    Arrays.setAll(places, i -> i * layout.stateWords());
    return places;
  }
}
