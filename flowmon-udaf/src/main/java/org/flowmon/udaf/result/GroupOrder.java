package org.flowmon.udaf.result;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.Deviation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.order.Checked;
import org.flowmon.udaf.order.FirstRows;
import org.flowmon.udaf.order.RadixSort;
import org.flowmon.udaf.order.RowSort;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.LimitBy;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.TextOrder;
import org.jspecify.annotations.Nullable;

/** A total order of groups, whatever the merging: ORDER BY, then keys ascending with NULLs last. */
public final class GroupOrder {
  /** Compares two groups of the table. */
  private interface ByOne {
    int compare(int groupA, int groupB);
  }

  // For fewer groups, packing the compared words saves nothing.
  private static final int FEW_GROUPS = 32;
  // If more than one row in this many is wanted, a heap takes longer than sorting all.
  private static final int SMALL_SHARE = 16;
  // Comparisons between two cancellation checks; a power of two.
  private static final int COMPARED = 1 << 14;

  private final GroupTable table;
  private final GroupLayout layout;
  private final ByOne[] comparisons;
  private final PackedOrder packed;
  private final RadixSort radix = new RadixSort();
  private final Runnable check;
  private final FlowQuery query;
  private int compared;

  public GroupOrder(GroupTable table, FlowQuery query) {
    this(table, query, null, table.memory()::check);
  }

  /** Order expressions are computed for {@code groups} alone, null: all. Checks may end sorts. */
  public GroupOrder(GroupTable table, FlowQuery query, int @Nullable [] groups, Runnable check) {
    this.check = check;
    this.query = query;
    this.table = table;
    this.layout = table.layout();
    List<ByOne> all = new ArrayList<>();
    int @Nullable [] places = null; // by group: its place among the groups to compare
    for (OrderItem item : query.orderBy()) {
      if (item.what() instanceof AggregateCall call && !call.isState()) {
        all.add(byAggregate(call, item));
      } else if (query.groupBy().contains(item.what())) {
        all.add(byKey(query.groupBy().indexOf(item.what()), item));
      } else if (query.isComputed(item.what()) || item.what() instanceof AggregateCall) {
        int[] of = groups == null ? table.all() : groups;
        places = places == null && groups != null ? places(groups) : places;
        all.add(byComputed(ComputedColumn.of(table, query, item.what(), of), places, item));
      }
    }
    for (int k = 0; k < query.groupBy().size(); k++) {
      all.add(byKey(k, new OrderItem(query.groupBy().get(k), false, false)));
    }
    this.comparisons = all.toArray(new ByOne[0]);
    this.packed = new PackedOrder(table, query);
  }

  public int compare(int groupA, int groupB) {
    if ((++compared & COMPARED - 1) == 0) {
      check.run();
    }
    for (ByOne comparison : comparisons) {
      int order = comparison.compare(groupA, groupB);
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** The candidates, null for all, that LIMIT … BY and LIMIT keep, in order; all without these. */
  public int[] first(int @Nullable [] groups) {
    LimitBy limitBy = query.limitBy();
    if (limitBy == null || limitBy.keys().containsAll(query.groupBy())) {
      return first(groups, query.limit());
    }
    int[] all = groups == null ? table.all() : groups;
    long wanted = query.limit() < 0 ? all.length : query.limit();
    // LIMIT … BY usually drops few groups: sort some more than wanted, further ones only if needed.
    for (long taken = 2 * wanted + 64; ; taken *= 4) {
      boolean takesAll = taken >= all.length;
      int[] kept = firstOfKeys(limitBy, first(all, takesAll ? -1 : taken), wanted);
      if (takesAll || kept.length == wanted) {
        return kept;
      }
    }
  }

  /** The first groups of their keys, from groups in order. */
  private int[] firstOfKeys(LimitBy limitBy, int[] ordered, long wanted) {
    KeyCounts counts = new KeyCounts(table, query.groupBy(), limitBy);
    int[] kept = new int[ordered.length];
    int n = 0;
    for (int i = 0; i < ordered.length && n < wanted; i++) {
      if ((i & COMPARED - 1) == 0) {
        check.run();
      }
      if (counts.count(ordered[i]) <= limitBy.rows()) {
        kept[n++] = ordered[i];
      }
    }
    return Arrays.copyOf(kept, n);
  }

  /** The first candidates, null for all, in order; all if the limit is negative. */
  private int[] first(int @Nullable [] groups, long limit) {
    int[] chosen = groups == null ? table.all() : groups.clone();
    int size = chosen.length;
    int wanted = limit < 0 || limit > size ? size : (int) limit;
    check.run();
    if (size < FEW_GROUPS || !packed.hasWords(0)) {
      return firstCompared(chosen, wanted, this::compare);
    }
    if (wanted > size / SMALL_SHARE) {
      sort(chosen, new long[size], 0, size, 0);
      return wanted == size ? chosen : Arrays.copyOf(chosen, wanted);
    }
    long[] longs = new long[size];
    packed.pack(chosen, 0, size, 0, longs);
    int[] places =
        FirstRows.of(
            size,
            wanted,
            Checked.of(
                (a, b) -> {
                  int order = Long.compareUnsigned(longs[a], longs[b]);
                  return order != 0 ? order : compare(chosen[a], chosen[b]);
                },
                check));
    return Arrays.stream(places).map(place -> chosen[place]).toArray();
  }

  private static int[] firstCompared(int[] groups, int wanted, FirstRows.Order order) {
    if (wanted > groups.length / SMALL_SHARE) {
      RowSort.merge(groups, 0, groups.length, order);
      return Arrays.copyOf(groups, wanted);
    }
    int[] places =
        FirstRows.of(groups.length, wanted, (a, b) -> order.compare(groups[a], groups[b]));
    return Arrays.stream(places).map(place -> groups[place]).toArray();
  }

  /** Sorts the groups in some places, which are equal up to a word of their order. */
  private void sort(int[] groups, long[] longs, int from, int to, int word) {
    if (to - from < FEW_GROUPS || !packed.hasWords(word)) {
      RowSort.merge(groups, from, to, this::compare);
      return;
    }
    int next = packed.pack(groups, from, to, word, longs);
    check.run();
    radix.sort(longs, groups, from, to, check);
    if (packed.isWhole(next)) {
      return;
    }
    for (int run = from; run < to; ) {
      int end = run + 1;
      while (end < to && longs[end] == longs[run]) {
        end++;
      }
      if (end - run > 1) {
        sort(groups, longs, run, end, next);
      }
      run = end;
    }
  }

  private int[] places(int[] groups) {
    int[] places = new int[table.size()];
    for (int i = 0; i < groups.length; i++) {
      places[groups[i]] = i;
    }
    return places;
  }

  /** Compares by a computed column, whose row of a group is in {@code places}; null: its number. */
  private static ByOne byComputed(ComputedColumn column, int @Nullable [] places, OrderItem item) {
    int sign = item.descending() ? -1 : 1;
    return (groupA, groupB) -> {
      int a = places == null ? groupA : places[groupA];
      int b = places == null ? groupB : places[groupB];
      boolean nullA = column.isNull(a);
      boolean nullB = column.isNull(b);
      return nullA || nullB ? nulls(nullA, nullB, item) : sign * column.compare(a, b);
    };
  }

  private ByOne byKey(int key, OrderItem item) {
    ValueKind kind = layout.keyKind(key);
    int sign = item.descending() ? -1 : 1;
    return (a, b) -> {
      boolean nullA = table.isKeyNull(a, key);
      boolean nullB = table.isKeyNull(b, key);
      return nullA || nullB ? nulls(nullA, nullB, item) : sign * compareKeys(kind, a, b, key);
    };
  }

  private int compareKeys(ValueKind kind, int groupA, int groupB, int key) {
    int a = table.keyAt(groupA, key);
    int b = table.keyAt(groupB, key);
    return switch (kind) {
      case ADDRESS ->
          IpAddress.compare(table.word(a), table.word(a + 1), table.word(b), table.word(b + 1));
      case TEXT -> TextOrder.compare(table.keyText(groupA, key), table.keyText(groupB, key));
      case DOUBLE ->
          Double.compare(
              Double.longBitsToDouble(table.word(a)), Double.longBitsToDouble(table.word(b)));
      default -> Long.compare(table.word(a), table.word(b));
    };
  }

  private ByOne byDeviation(Deviation deviation, OrderItem item) {
    long[] words = table.words();
    int sign = item.descending() ? -1 : 1;
    return (a, b) -> {
      int stateA = table.stateAt(a);
      int stateB = table.stateAt(b);
      boolean nullA = deviation.isNull(words, stateA);
      boolean nullB = deviation.isNull(words, stateB);
      return nullA || nullB
          ? nulls(nullA, nullB, item)
          : sign * Double.compare(deviation.of(words, stateA), deviation.of(words, stateB));
    };
  }

  private ByOne byAggregate(AggregateCall call, OrderItem item) {
    if (Deviation.is(call)) {
      return byDeviation(new Deviation(layout, call), item);
    }
    Accumulator value = layout.value(call);
    Accumulator values = layout.values(call);
    int sign = item.descending() ? -1 : 1;
    boolean isCount = value.equals(values);
    boolean isDouble = call.kind() == ValueKind.DOUBLE;
    return (a, b) -> {
      int stateA = table.stateAt(a);
      int stateB = table.stateAt(b);
      boolean nullA = !isCount && table.word(stateA + values.word()) == 0;
      boolean nullB = !isCount && table.word(stateB + values.word()) == 0;
      if (nullA || nullB) {
        return nulls(nullA, nullB, item);
      }
      return sign * compareStates(isDouble, value, values, stateA, stateB);
    };
  }

  private int compareStates(
      boolean isDouble, Accumulator value, Accumulator values, int stateA, int stateB) {
    int a = stateA + value.word();
    int b = stateB + value.word();
    return switch (value.operation()) {
      case SUM -> {
        if (isDouble) {
          yield Double.compare(
              average(a, stateA + values.word()), average(b, stateB + values.word()));
        }
        int wraps = Long.compare(table.word(a + 1), table.word(b + 1));
        yield wraps != 0 ? wraps : Long.compare(table.word(a), table.word(b));
      }
      case MIN_ADDRESS, MAX_ADDRESS ->
          IpAddress.compare(table.word(a), table.word(a + 1), table.word(b), table.word(b + 1));
      default -> Long.compare(table.word(a), table.word(b));
    };
  }

  private double average(int sum, int count) {
    long low = table.word(sum);
    return Int128.divide(table.word(sum + 1) + (low >> 63), low, table.word(count));
  }

  private static int nulls(boolean nullA, boolean nullB, OrderItem item) {
    int last = Boolean.compare(nullA, nullB);
    return item.nullsFirst() ? -last : last;
  }
}
