package org.flowmon.udaf.table;

import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.ValueKind;

/**
 * What a query's order compares first, as one unsigned long for each group: most comparisons then
 * touch no group.
 */
final class FirstKeys {
  private static final long IPV4 = IpAddress.ipv4Low(0);

  private final GroupTable table;
  private final GroupLayout layout;
  private final boolean descending;
  // The place of the key that is compared first, −1 where that is an aggregate.
  private final int key;
  private final AggregateCall call;
  // The key that is compared next, where it is an address and in the same direction; else −1.
  private final int next;

  FirstKeys(GroupTable table, FlowQuery query) {
    this.table = table;
    this.layout = table.layout();
    OrderItem first = query.orderBy().isEmpty() ? null : query.orderBy().get(0);
    this.descending = first != null && first.descending();
    this.call = first != null && first.what() instanceof AggregateCall one ? one : null;
    int place = 0;
    if (first != null && call == null) {
      place = query.groupBy().indexOf(first.what());
    }
    this.key = call != null || query.groupBy().isEmpty() ? -1 : place;
    this.next = next(query);
  }

  private int next(FlowQuery query) {
    // With more than one ORDER BY the second may be anything, and descending.
    boolean byKeys = key >= 0 && query.orderBy().size() <= 1 && !descending;
    int second = key == 0 ? 1 : 0;
    return byKeys && second < query.groupBy().size() && layout.keyKind(second) == ValueKind.ADDRESS
        ? second
        : -1;
  }

  /** The longs by group; null where there are none that order groups as the query does. */
  long[] read() {
    long[] keys = new long[table.size()];
    boolean known = call != null ? readAggregate(keys) : key >= 0 && readKey(keys);
    if (!known) {
      return null;
    }
    if (descending) {
      for (int g = 0; g < keys.length; g++) {
        keys[g] = ~keys[g];
      }
    }
    return keys;
  }

  private boolean readKey(long[] keys) {
    ValueKind kind = layout.keyKind(key);
    if (kind != ValueKind.ADDRESS && !kind.isInteger()) {
      return false;
    }
    long high = 0;
    for (int g = 0; g < keys.length; g++) {
      if (table.isKeyNull(g, key)) {
        return false;
      }
      keys[g] = table.word(table.keyAt(g, key));
      high |= keys[g];
    }
    if (kind.isInteger()) {
      toUnsigned(keys);
    } else if (high == 0) {
      long other = 0;
      for (int g = 0; g < keys.length; g++) {
        keys[g] = table.word(table.keyAt(g, key) + 1);
        other |= keys[g] ^ IPV4;
      }
      if (next >= 0 && other >>> 32 == 0) {
        addNext(keys);
      }
    }
    return true;
  }

  /** Lets a second address follow on the first where both are IPv4: then the longs say it all. */
  private void addNext(long[] keys) {
    for (int g = 0; g < keys.length; g++) {
      int at = table.keyAt(g, next);
      if (table.isKeyNull(g, next)
          || table.word(at) != 0
          || (table.word(at + 1) ^ IPV4) >>> 32 != 0) {
        return;
      }
    }
    for (int g = 0; g < keys.length; g++) {
      keys[g] = keys[g] << 32 | (table.word(table.keyAt(g, next) + 1) & 0xFFFF_FFFFL);
    }
  }

  private boolean readAggregate(long[] keys) {
    Accumulator value = layout.value(call);
    int values = layout.values(call).word();
    boolean isSum = value.operation() == Accumulator.Operation.SUM;
    boolean isCount = value.word() == values;
    if (call.kind() == ValueKind.DOUBLE || call.kind() == ValueKind.ADDRESS) {
      return false;
    }
    for (int g = 0; g < keys.length; g++) {
      int state = table.stateAt(g);
      boolean isNull = !isCount && table.word(state + values) == 0;
      if (isNull || (isSum && table.word(state + value.word() + 1) != 0)) {
        return false; // NULL, or more than a long
      }
      keys[g] = table.word(state + value.word());
    }
    toUnsigned(keys);
    return true;
  }

  private static void toUnsigned(long[] keys) {
    for (int g = 0; g < keys.length; g++) {
      keys[g] ^= Long.MIN_VALUE;
    }
  }
}
