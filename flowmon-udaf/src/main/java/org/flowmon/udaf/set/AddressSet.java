package org.flowmon.udaf.set;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Prefix;

/**
 * A fixed set of addresses and prefixes: points are hashed, ranges searched, if an address's first
 * byte does not tell.
 */
public final class AddressSet {
  // Whether all addresses of a first byte are in the set or some; 0: none.
  private static final byte ALL = 1;
  private static final byte SOME = 2;

  private final int points;
  private final long[] slotHigh;
  private final long[] slotLow;
  private final boolean[] used;
  // Disjoint ranges in ascending order, of prefixes.
  private final long[] firstHigh;
  private final long[] firstLow;
  private final long[] lastHigh;
  private final long[] lastLow;
  // By first byte: of IPv6, then of IPv4.
  private final byte[] byFirstByte = new byte[2 * 256];

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
    addresses.forEach(address -> note(address, address));
    ranges.forEach(range -> note(range.first(), range.last()));
  }

  /** Notes what a range says of the addresses of each first byte. */
  private void note(IpAddress first, IpAddress last) {
    boolean isIpv4 = first.isIpv4() && last.isIpv4();
    int from = firstByte(first, isIpv4);
    int to = firstByte(last, isIpv4);
    for (int b = from; b <= to; b++) {
      boolean isWhole =
          (b > from || startsByte(first, isIpv4)) && (b < to || endsByte(last, isIpv4));
      byFirstByte[b] = isWhole || byFirstByte[b] == ALL ? ALL : SOME;
    }
    if (!isIpv4 && from == 0) {
      // It may hold some of IPv4, which lies there.
      for (int b = 256; b < byFirstByte.length; b++) {
        byFirstByte[b] = byFirstByte[b] == ALL ? ALL : SOME;
      }
    }
  }

  private static int firstByte(IpAddress address, boolean isIpv4) {
    return firstByte(address.hi(), address.lo(), isIpv4);
  }

  private static int firstByte(long high, long low, boolean isIpv4) {
    return isIpv4 ? 256 + ((int) (low >>> 24) & 0xFF) : (int) (high >>> 56);
  }

  private static boolean startsByte(IpAddress address, boolean isIpv4) {
    return isIpv4
        ? (address.lo() & 0xFF_FFFF) == 0
        : address.lo() == 0 && (address.hi() & -1L >>> 8) == 0;
  }

  private static boolean endsByte(IpAddress address, boolean isIpv4) {
    return isIpv4
        ? (address.lo() & 0xFF_FFFF) == 0xFF_FFFF
        : address.lo() == -1 && (address.hi() | -1L << 56) == -1;
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
    byte members = byFirstByte[firstByte(high, low, IpAddress.isIpv4(high, low))];
    return members == SOME ? containsOf(high, low) : members == ALL;
  }

  private boolean containsOf(long high, long low) {
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
