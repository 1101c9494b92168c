package org.flowmon.udaf.enrich;

import java.util.Arrays;
import org.flowmon.flow.IpAddress;

/**
 * Ranges of addresses, each with the number of an entry: a sorted list of the first addresses of
 * stretches with one entry, IPv4 apart from IPv6.
 *
 * <pre>
 *   starts    0.0.0.0  10.0.0.0  10.1.0.0  10.2.0.0  11.0.0.0      IPv4: ints; IPv6: two longs
 *   entries      -1        3         7         3        -1         -1: none
 *   top       the place of the first start with these upper bits, and at last the end: IPv4
 * </pre>
 *
 * <p>A lookup is a binary search, of IPv4 between two places of {@code top}, which is of 16 bits,
 * or of fewer for few starts. Immutable.
 */
public final class AddressTable {
  static final int NONE = -1;

  private static final int MAX_TOP_BITS = 16;

  private final int[] starts;
  private final int[] entries;
  private final int[] top;
  private final int lowBits; // of an address, below those of its place in top
  private final long[] highs;
  private final long[] lows;
  private final int[] wideEntries;

  private AddressTable(Stretches ipv4, Stretches ipv6) {
    this.starts = new int[ipv4.size];
    for (int i = 0; i < ipv4.size; i++) {
      starts[i] = (int) ipv4.lows[i];
    }
    this.entries = Arrays.copyOf(ipv4.entries, ipv4.size);
    int bitsOfSize = 31 - Integer.numberOfLeadingZeros(ipv4.size);
    int topBits = Math.max(1, Math.min(MAX_TOP_BITS, bitsOfSize)); // a shift by 32 would be none
    this.lowBits = Integer.SIZE - topBits;
    this.top = new int[(1 << topBits) + 1];
    int place = 0;
    for (int bits = 0; bits < top.length - 1; bits++) {
      while (place < starts.length && starts[place] >>> lowBits < bits) {
        place++;
      }
      top[bits] = place;
    }
    top[top.length - 1] = starts.length;
    this.highs = Arrays.copyOf(ipv6.highs, ipv6.size);
    this.lows = Arrays.copyOf(ipv6.lows, ipv6.size);
    this.wideEntries = Arrays.copyOf(ipv6.entries, ipv6.size);
  }

  /** The entry of an address, −1 if there is none. */
  public int find(long hi, long lo) {
    return IpAddress.isIpv4(hi, lo) ? find((int) lo) : findWide(hi, lo);
  }

  private int find(int address) {
    int place = address >>> lowBits;
    int low = top[place];
    int high = top[place + 1];
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (Integer.compareUnsigned(starts[middle], address) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return entries[low - 1]; // 0.0.0.0 is a start
  }

  private int findWide(long hi, long lo) {
    int low = 0;
    int high = highs.length;
    while (low < high) {
      int middle = (low + high) >>> 1;
      if (IpAddress.compare(highs[middle], lows[middle], hi, lo) <= 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return wideEntries[low - 1]; // :: is a start
  }

  /**
   * Gives the ranges of an entry; false, with some of them, if there are more than {@code most}.
   */
  boolean ranges(int entry, int most, Lookup.RangeSink sink) {
    int given = 0;
    for (int i = 0; i < starts.length; i++) {
      if (entries[i] == entry) {
        if (given++ == most) {
          return false;
        }
        int last = i + 1 < starts.length ? starts[i + 1] - 1 : -1;
        sink.add(0, IpAddress.ipv4Low(starts[i]), 0, IpAddress.ipv4Low(last));
      }
    }
    for (int i = 0; i < highs.length; i++) {
      if (wideEntries[i] == entry) {
        if (given++ == most) {
          return false;
        }
        boolean isLast = i + 1 == highs.length;
        long lastLo = isLast ? -1 : lows[i + 1] - 1;
        long lastHi = isLast ? -1 : lows[i + 1] == 0 ? highs[i + 1] - 1 : highs[i + 1];
        sink.add(highs[i], lows[i], lastHi, lastLo);
      }
    }
    return true;
  }

  /**
   * Takes ranges of each family in ascending order of their first addresses, of equal ones the
   * widest first. Ranges may lie in one another, the innermost counts, but do not cross.
   */
  public static final class Builder {
    private final Stretches ipv4 = new Stretches();
    private final Stretches ipv6 = new Stretches();

    /** Both ends belong to it; addresses are unsigned. */
    public void addIpv4(int first, int last, int entry) {
      ipv4.add(0, first & 0xffff_ffffL, 0, last & 0xffff_ffffL, entry);
    }

    /** Both ends belong to it. IPv4 within it is not meant. */
    public void addIpv6(long firstHi, long firstLo, long lastHi, long lastLo, int entry) {
      ipv6.add(firstHi, firstLo, lastHi, lastLo, entry);
    }

    /** The builder is used up. */
    public AddressTable build() {
      ipv4.end(0, 0xffff_ffffL);
      ipv6.end(-1, -1);
      return new AddressTable(ipv4, ipv6);
    }
  }

  /** Stretches of one family in the making: growing columns and the ranges that are open. */
  private static final class Stretches {
    /** A prefix within a prefix …: each is longer by a bit at least. */
    private static final int DEEPEST = 129;

    private long[] highs = new long[16];
    private long[] lows = new long[16];
    private int[] entries = {NONE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    private int size = 1; // the first address, without an entry

    private final long[] openHighs = new long[DEEPEST];
    private final long[] openLows = new long[DEEPEST];
    private final int[] openEntries = new int[DEEPEST];
    private int open;

    void add(long firstHi, long firstLo, long lastHi, long lastLo, int entry) {
      if (IpAddress.compare(firstHi, firstLo, lastHi, lastLo) > 0
          || IpAddress.compare(firstHi, firstLo, highs[size - 1], lows[size - 1]) < 0) {
        throw new IllegalArgumentException("ranges are not in order");
      }
      close(firstHi, firstLo);
      if (open == DEEPEST) {
        throw new IllegalArgumentException("ranges lie in one another deeper than " + DEEPEST);
      }
      if (open > 0
          && IpAddress.compare(openHighs[open - 1], openLows[open - 1], lastHi, lastLo) < 0) {
        throw new IllegalArgumentException("ranges cross");
      }
      begin(firstHi, firstLo, entry);
      openHighs[open] = lastHi;
      openLows[open] = lastLo;
      openEntries[open++] = entry;
    }

    /** Ends the open ranges before an address: what is around them goes on. */
    private void close(long hi, long lo) {
      while (open > 0 && IpAddress.compare(openHighs[open - 1], openLows[open - 1], hi, lo) < 0) {
        open--;
        long nextLo = openLows[open] + 1;
        long nextHi = nextLo == 0 ? openHighs[open] + 1 : openHighs[open];
        begin(nextHi, nextLo, open == 0 ? NONE : openEntries[open - 1]);
      }
    }

    void end(long highestHi, long highestLo) {
      close(highestHi, highestLo); // a range up to the highest address has no end
    }

    private void begin(long hi, long lo, int entry) {
      if (highs[size - 1] == hi && lows[size - 1] == lo) {
        size--; // the stretch before it is empty
      }
      if (size > 0 && entries[size - 1] == entry) {
        return;
      }
      if (size == entries.length) {
        int larger = size + (size >> 1);
        highs = Arrays.copyOf(highs, larger);
        lows = Arrays.copyOf(lows, larger);
        entries = Arrays.copyOf(entries, larger);
      }
      highs[size] = hi;
      lows[size] = lo;
      entries[size++] = entry;
    }
  }
}
