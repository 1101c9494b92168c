package org.flowmon.archive.query.rollup;

import java.util.Arrays;
import org.flowmon.flow.IpAddress;
import org.flowmon.udaf.group.GroupTable;

/** The groups of a table whose only key is an address, sorted by address. Immutable. */
final class AddressGroups {
  private static final int GROUP_BITS = 31;

  private final GroupTable table;
  private final int[] order;
  private final long[] high;
  private final long[] low;
  private final int nullGroup;

  AddressGroups(GroupTable table) {
    this.table = table;
    int size = table.size();
    long[] highs = new long[size];
    long[] lows = new long[size];
    int[] known = new int[size];
    int n = 0;
    int ofNull = -1;
    boolean ipv4 = true;
    long[] address = new long[2];
    for (int group = 0; group < size; group++) {
      if (!table.readAddress(group, 0, address)) {
        ofNull = group;
        continue;
      }
      highs[group] = address[0];
      lows[group] = address[1];
      ipv4 &= IpAddress.isIpv4(address[0], address[1]);
      known[n++] = group;
    }
    this.nullGroup = ofNull;
    this.order = ipv4 ? byIpv4(known, n, lows) : byAddress(known, n, highs, lows);
    this.high = new long[n];
    this.low = new long[n];
    for (int i = 0; i < n; i++) {
      high[i] = highs[order[i]];
      low[i] = lows[order[i]];
    }
  }

  private static int[] byIpv4(int[] groups, int n, long[] lows) {
    long[] keys = new long[n];
    for (int i = 0; i < n; i++) {
      keys[i] = (lows[groups[i]] & 0xFFFF_FFFFL) << GROUP_BITS | groups[i];
    }
    Arrays.sort(keys);
    int[] order = new int[n];
    for (int i = 0; i < n; i++) {
      order[i] = (int) keys[i] & Integer.MAX_VALUE;
    }
    return order;
  }

  /** By lower halves, then by upper ones, which keeps the order within an upper half. */
  private static int[] byAddress(int[] groups, int n, long[] highs, long[] lows) {
    return sorted(sorted(groups, n, lows), n, highs);
  }

  /** Unsigned and stable. */
  private static int[] sorted(int[] groups, int n, long[] values) {
    long[] distinct = new long[n];
    for (int i = 0; i < n; i++) {
      distinct[i] = values[groups[i]] ^ Long.MIN_VALUE;
    }
    Arrays.sort(distinct);
    int size = 0;
    for (int i = 0; i < n; i++) {
      if (i == 0 || distinct[i] != distinct[size - 1]) {
        distinct[size++] = distinct[i];
      }
    }
    long[] keys = new long[n];
    for (int i = 0; i < n; i++) {
      long place = Arrays.binarySearch(distinct, 0, size, values[groups[i]] ^ Long.MIN_VALUE);
      keys[i] = place << GROUP_BITS | i;
    }
    Arrays.sort(keys);
    int[] order = new int[n];
    for (int i = 0; i < n; i++) {
      order[i] = groups[(int) keys[i] & Integer.MAX_VALUE];
    }
    return order;
  }

  GroupTable table() {
    return table;
  }

  /** Without the group without an address. */
  int size() {
    return order.length;
  }

  int group(int place) {
    return order[place];
  }

  /** −1 if there is no group without an address. */
  int nullGroup() {
    return nullGroup;
  }

  long[] high() {
    return high;
  }

  long[] low() {
    return low;
  }

  /** The place of the first address that is at least the given one. */
  int lowerBound(IpAddress bound) {
    int from = 0;
    int to = order.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (IpAddress.compare(high[middle], low[middle], bound.hi(), bound.lo()) < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from;
  }
}
