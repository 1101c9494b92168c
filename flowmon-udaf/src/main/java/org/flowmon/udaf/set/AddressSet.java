package org.flowmon.udaf.set;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Prefix;

/** A fixed set of addresses and prefixes: points are hashed, ranges searched. */
public final class AddressSet {
  private final int points;
  private final long[] slotHigh;
  private final long[] slotLow;
  private final boolean[] used;
  // Disjoint ranges in ascending order, of prefixes.
  private final long[] firstHigh;
  private final long[] firstLow;
  private final long[] lastHigh;
  private final long[] lastLow;

  private AddressSet(List<IpAddress> addresses, List<AddressRanges.Range> ranges) {
    this.points = addresses.size();
    int size = Integer.highestOneBit(Math.max(points, 1) * 4 - 1);
    slotHigh = new long[size];
    slotLow = new long[size];
    used = new boolean[size];
    for (IpAddress address : addresses) {
      int at = slot(address.hi(), address.lo());
      slotHigh[at] = address.hi();
      slotLow[at] = address.lo();
      used[at] = true;
    }
    firstHigh = ranges.stream().mapToLong(range -> range.first().hi()).toArray();
    firstLow = ranges.stream().mapToLong(range -> range.first().lo()).toArray();
    lastHigh = ranges.stream().mapToLong(range -> range.last().hi()).toArray();
    lastLow = ranges.stream().mapToLong(range -> range.last().lo()).toArray();
  }

  /** The items of IN; a NULL among them is not in the set. */
  public static AddressSet of(List<Expression> items) {
    List<IpAddress> addresses = new ArrayList<>();
    List<AddressRanges.Range> ranges = new ArrayList<>();
    for (Expression item : items) {
      if (item instanceof Prefix prefix) {
        ranges.addAll(AddressRanges.of(prefix.prefix()).ranges());
      } else if (item instanceof Literal literal && !literal.value().isNull()) {
        addresses.add(new IpAddress(literal.value().high(), literal.value().low()));
      }
    }
    return new AddressSet(addresses, AddressRanges.of(ranges).ranges());
  }

  public boolean contains(long high, long low) {
    return (points > 0 && used[slot(high, low)]) || (firstHigh.length > 0 && inRange(high, low));
  }

  private boolean inRange(long high, long low) {
    int from = 0;
    int to = firstHigh.length;
    while (from < to) {
      int middle = (from + to) >>> 1;
      if (IpAddress.compare(lastHigh[middle], lastLow[middle], high, low) < 0) {
        from = middle + 1;
      } else {
        to = middle;
      }
    }
    return from < firstHigh.length
        && IpAddress.compare(firstHigh[from], firstLow[from], high, low) <= 0;
  }

  /** The sum of the addresses' distances from their first slots: the number of wasted probes. */
  long displacement() {
    long sum = 0;
    for (int slot = 0; slot < used.length; slot++) {
      sum += used[slot] ? (slot - first(slotHigh[slot], slotLow[slot])) & (used.length - 1) : 0;
    }
    return sum;
  }

  private int first(long high, long low) {
    return (int) TableHash.of(high, low) & (used.length - 1);
  }

  private int slot(long high, long low) {
    int mask = used.length - 1;
    int at = first(high, low);
    while (used[at] && (slotLow[at] != low || slotHigh[at] != high)) {
      at = (at + 1) & mask;
    }
    return at;
  }
}
