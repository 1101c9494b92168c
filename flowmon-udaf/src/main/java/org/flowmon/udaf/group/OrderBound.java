package org.flowmon.udaf.group;

import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** Skips groups after so many others that they cannot be in a query's answer. Not thread-safe. */
public final class OrderBound {
  private final Accumulator value;
  private final int values; // the word that counts non-NULL values, −1 if it is the value
  private final boolean isSum;
  private final int wraps; // the word above a sum's low word
  private final boolean descending;
  private final long wanted;
  private long bound;
  private boolean isKnown;

  private OrderBound(GroupLayout layout, AggregateCall call, boolean descending, long wanted) {
    this.value = layout.value(call);
    int count = layout.values(call).word();
    this.values = count == value.word() ? -1 : count;
    this.isSum = value.operation() == Accumulator.Operation.SUM;
    this.wraps = value.word() + 1;
    this.descending = descending;
    this.wanted = wanted;
  }

  /** The bound of a query; null if its order does not begin with an aggregated whole number. */
  public static @Nullable OrderBound of(FlowQuery query, GroupLayout layout) {
    if (query.orderBy().isEmpty() || query.limit() <= 0) {
      return null;
    }
    OrderItem first = query.orderBy().get(0);
    ValueKind kind = first.what().kind();
    return first.what() instanceof AggregateCall call
            && !call.isState()
            && kind != null
            && kind.isInteger()
        ? new OrderBound(layout, call, first.descending(), query.limit())
        : null;
  }

  /**
   * Chooses groups, {@code stride} words apart from {@code first} on, that may be among the first;
   * returns their number. {@code chosen} has room for one more.
   */
  public int choose(long[] states, int first, int stride, int n, int[] chosen) {
    int kept = 0;
    for (int g = 0, at = first; g < n; g++, at += stride) {
      chosen[kept] = g;
      boolean isOut =
          isKnown
              && isPlain(values < 0 ? 1 : states[at + values], isSum ? states[at + wraps] : 0)
              && isBehind(states[at + value.word()]);
      kept += isOut ? 0 : 1;
    }
    return kept;
  }

  /** Whether the order's value is one long and not NULL. */
  private static boolean isPlain(long count, long wraps) {
    return count != 0 && wraps == 0;
  }

  private boolean isBehind(long number) {
    return descending ? number < bound : number > bound;
  }

  /** Learns from the first of a table's groups, in order; all if the query requires more. */
  public void learn(GroupTable table, int[] first) {
    if (first.length < wanted) {
      return;
    }
    int state = table.stateAt(first[first.length - 1]);
    boolean plain =
        isPlain(values < 0 ? 1 : table.word(state + values), isSum ? table.word(state + wraps) : 0);
    long last = table.word(state + value.word());
    if (plain && (!isKnown || !isBehind(last))) {
      bound = last;
      isKnown = true;
    }
  }
}
