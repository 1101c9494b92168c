package org.flowmon.archive.group;

import java.util.Arrays;
import org.flowmon.flow.IpAddress;

/** Distinct addresses, found by hash and then put in order. Not thread-safe. */
final class NumberedPart {
  private static final long MULTIPLIER = 0x9E37_79B9_7F4A_7C15L;

  private long[] high = new long[1024];
  private long[] low = new long[1024];
  private int size;
  // The place of an address + 1; 0: free.
  private int[] slots = new int[4096];
  private boolean ipv4 = true;

  int size() {
    return size;
  }

  /** Whether all are IPv4, so that all high longs are 0. */
  boolean isIpv4() {
    return ipv4;
  }

  /** The high longs, in order once {@link #sort} was called. */
  long[] high() {
    return high;
  }

  long[] low() {
    return low;
  }

  /** Finds or adds the first n addresses; writes the place of each to {@code out} from a place. */
  void add(long[] highs, long[] lows, int n, int[] out, int from) {
    for (int i = 0; i < n; i++) {
      out[from + i] = findOrAdd(highs[i], lows[i]);
    }
  }

  private int findOrAdd(long hi, long lo) {
    int mask = slots.length - 1;
    int slot = slot(hi, lo) & mask;
    while (slots[slot] != 0) {
      int place = slots[slot] - 1;
      if (low[place] == lo && high[place] == hi) {
        return place;
      }
      slot = (slot + 1) & mask;
    }
    slots[slot] = size + 1;
    if (size == low.length) {
      high = Arrays.copyOf(high, 2 * size);
      low = Arrays.copyOf(low, 2 * size);
    }
    high[size] = hi;
    low[size] = lo;
    ipv4 &= IpAddress.isIpv4(hi, lo);
    size++;
    if (2 * size > slots.length) {
      grow();
    }
    return size - 1;
  }

  private static int slot(long hi, long lo) {
    return (int) (((lo ^ (hi * MULTIPLIER)) * MULTIPLIER) >>> 32);
  }

  private void grow() {
    slots = new int[4 * slots.length];
    int mask = slots.length - 1;
    for (int place = 0; place < size; place++) {
      int slot = slot(high[place], low[place]) & mask;
      while (slots[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = place + 1;
    }
  }

  /**
   * Puts the addresses in order; none can be added afterwards.
   *
   * @return by place: the address's place in order
   */
  int[] sort() {
    slots = null;
    int[] order = ipv4 ? orderOfIpv4() : order();
    int[] ranks = new int[size];
    long[] highs = new long[size];
    long[] lows = new long[size];
    for (int rank = 0; rank < size; rank++) {
      int place = order[rank];
      ranks[place] = rank;
      highs[rank] = high[place];
      lows[rank] = low[place];
    }
    high = highs;
    low = lows;
    return ranks;
  }

  private int[] orderOfIpv4() {
    long[] keys = new long[size];
    for (int i = 0; i < size; i++) {
      keys[i] = ((low[i] & 0xFFFF_FFFFL) << 31) | i;
    }
    Arrays.sort(keys);
    int[] order = new int[size];
    for (int i = 0; i < size; i++) {
      order[i] = (int) keys[i] & Integer.MAX_VALUE;
    }
    return order;
  }

  private int[] order() {
    int[] order = new int[size];
    Arrays.setAll(order, i -> i);
    int[] other = new int[size];
    for (int width = 1; width < size; width *= 2) {
      for (int from = 0; from < size; from += 2 * width) {
        merge(order, other, from, Math.min(size, from + width), Math.min(size, from + 2 * width));
      }
      int[] sorted = other;
      other = order;
      order = sorted;
    }
    return order;
  }

  private void merge(int[] from, int[] to, int begin, int middle, int end) {
    int left = begin;
    int right = middle;
    for (int at = begin; at < end; at++) {
      boolean takeLeft = right == end || (left < middle && compare(from[left], from[right]) < 0);
      to[at] = takeLeft ? from[left++] : from[right++];
    }
  }

  private int compare(int a, int b) {
    return IpAddress.compare(high[a], low[a], high[b], low[b]);
  }
}
