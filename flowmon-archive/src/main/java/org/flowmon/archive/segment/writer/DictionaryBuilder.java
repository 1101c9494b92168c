package org.flowmon.archive.segment.writer;

import java.util.Arrays;
import org.flowmon.archive.index.DistinctTexts;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.order.RadixSort;

/**
 * Finds and sorts a column's distinct values, and numbers every value by its place among them.
 * Values are hashed first, so that only distinct ones are sorted; small ranges of numbers are
 * counted in a table instead. Reuses its arrays. Not thread-safe.
 */
public final class DictionaryBuilder {
  private static final int NONE = -1;
  // A table of this many ints stays in a core's second-level cache.
  private static final long TABLE_RANGE = 1 << 17;
  private static final int FIRST_SLOTS = 1 << 12;
  private static final long IPV4 = 0xFFFF_FFFFL;

  private final RadixSort radix = new RadixSort();
  private int[] slots = {};
  private int mask;
  private boolean isWide;
  private long[] sortKeys = {};
  private int[] sortIds = {};

  int[] ids = {};

  /** The distinct values in order: numbers, or the low longs of addresses. */
  long[] low = new long[FIRST_SLOTS];

  /** High longs of the distinct addresses; not set if all are IPv4. */
  long[] high = {};

  /** The distinct texts in order: those of the values. */
  DistinctTexts texts = new DistinctTexts();

  int size;

  /** Numbers every value; false, with undefined fields, if there are more than {@code limit}. */
  boolean buildNumbers(ColumnValues values, int limit) {
    int n = values.count;
    prepare(n);
    long min = Long.MAX_VALUE;
    long max = Long.MIN_VALUE;
    for (int i = 0; i < n; i++) {
      min = Math.min(min, values.low[i]);
      max = Math.max(max, values.low[i]);
    }
    long range = max - min;
    if (range >= 0 && range < TABLE_RANGE) {
      buildByTable(values.low, n, min, (int) range + 1);
      return size <= limit;
    }
    return buildByHash(values.low, n, limit);
  }

  private void prepare(int n) {
    isWide = false;
    if (ids.length < n) {
      ids = new int[n];
    }
    size = 0;
  }

  private void buildByTable(long[] values, int n, long min, int range) {
    if (slots.length < range) {
      slots = new int[Integer.highestOneBit(range) << 1];
    }
    Arrays.fill(slots, 0, range, 0);
    for (int i = 0; i < n; i++) {
      slots[(int) (values[i] - min)] = 1;
    }
    for (int i = 0; i < range; i++) {
      if (slots[i] != 0) {
        reserveDistinct();
        low[size] = min + i;
        slots[i] = size++;
      }
    }
    for (int i = 0; i < n; i++) {
      ids[i] = slots[(int) (values[i] - min)];
    }
  }

  private void reserveDistinct() {
    if (size == low.length) {
      low = Arrays.copyOf(low, 2 * size);
    }
  }

  private static int hash(long value) {
    return (int) TableHash.of(value);
  }

  private static int hash(long hi, long lo) {
    return (int) TableHash.of(hi, lo);
  }

  private void clearSlots() {
    if (slots.length < FIRST_SLOTS) {
      slots = new int[FIRST_SLOTS];
    }
    mask = FIRST_SLOTS - 1;
    Arrays.fill(slots, 0, FIRST_SLOTS, 0);
  }

  /** Doubles the slots until {@link #size} values fill at most half; the caller refills them. */
  private void growSlots() {
    mask = 4 * mask + 3;
    if (slots.length <= mask) {
      slots = new int[mask + 1];
    } else {
      Arrays.fill(slots, 0, mask + 1, 0);
    }
  }

  private boolean buildByHash(long[] values, int n, int limit) {
    clearSlots();
    long previous = values[0] + 1;
    int id = NONE;
    for (int i = 0; i < n; i++) {
      long value = values[i];
      if (value != previous) {
        id = find(value);
        if (id < 0) {
          if (size == limit) {
            return false;
          }
          id = insert(value);
        }
        previous = value;
      }
      ids[i] = id;
    }
    sortNumbers();
    renumber(n);
    return true;
  }

  private int find(long value) {
    for (int slot = hash(value) & mask; ; slot = (slot + 1) & mask) {
      int id = slots[slot] - 1;
      if (id < 0 || low[id] == value) {
        return id;
      }
    }
  }

  private int insert(long value) {
    reserveDistinct();
    low[size++] = value;
    if (2 * size > mask) {
      growSlots();
      for (int i = 0; i < size; i++) {
        put(hash(low[i]), i);
      }
    } else {
      put(hash(value), size - 1);
    }
    return size - 1;
  }

  /** The sum of the hashed values' distances from their own slots: the number of wasted probes. */
  long displacement() {
    long sum = 0;
    for (int slot = 0; slot <= mask; slot++) {
      if (slots[slot] != 0) {
        int id = renumbering[slots[slot] - 1];
        sum += (slot - (isWide ? hash(high[id], low[id]) : hash(low[id]))) & mask;
      }
    }
    return sum;
  }

  private void put(int hash, int id) {
    int slot = hash & mask;
    while (slots[slot] != 0) {
      slot = (slot + 1) & mask;
    }
    slots[slot] = id + 1;
  }

  private void reserveSort() {
    if (sortKeys.length < size) {
      sortKeys = new long[Math.max(size, low.length)];
    }
    if (sortIds.length < size) {
      sortIds = new int[sortKeys.length];
    }
  }

  /** Sorts the distinct numbers and leaves in {@link #renumbering} the new id of each old one. */
  private void sortNumbers() {
    reserveSort();
    for (int i = 0; i < size; i++) {
      sortKeys[i] = low[i] ^ Long.MIN_VALUE; // keys are compared as unsigned
      sortIds[i] = i;
    }
    radix.sort(sortKeys, sortIds, 0, size, () -> {});
    int[] renumbered = renumbering();
    for (int i = 0; i < size; i++) {
      renumbered[sortIds[i]] = i;
      low[i] = sortKeys[i] ^ Long.MIN_VALUE;
    }
  }

  private int[] renumbering = {};

  private int[] renumbering() {
    if (renumbering.length < size) {
      renumbering = new int[Math.max(size, low.length)];
    }
    return renumbering;
  }

  private void renumber(int n) {
    for (int i = 0; i < n; i++) {
      ids[i] = renumbering[ids[i]];
    }
  }

  void buildAddresses(ColumnValues values) {
    prepare(values.count);
    if (values.ipv4Only) {
      buildIpv4(values.low, values.count);
    } else {
      buildWide(values);
    }
  }

  /** As for numbers, but the distinct ones differ in 32 bits only. */
  private void buildIpv4(long[] addresses, int n) {
    clearSlots();
    for (int i = 0; i < n; i++) {
      int id = find(addresses[i]);
      ids[i] = id < 0 ? insert(addresses[i]) : id;
    }
    reserveSort();
    for (int i = 0; i < size; i++) {
      sortKeys[i] = low[i] & IPV4;
      sortIds[i] = i;
    }
    radix.sort(sortKeys, sortIds, 0, size, () -> {});
    int[] renumbered = renumbering();
    for (int i = 0; i < size; i++) {
      renumbered[sortIds[i]] = i;
      low[i] = IpAddress.ipv4Low((int) sortKeys[i]);
    }
    renumber(n);
  }

  private void buildWide(ColumnValues values) {
    isWide = true;
    clearSlots();
    for (int i = 0; i < values.count; i++) {
      ids[i] = findOrInsert(values.high[i], values.low[i]);
    }
    int ipv4 = sortIpv4();
    int below = sortOthers(ipv4);
    long[] sortedHigh = new long[high.length];
    long[] sortedLow = new long[low.length];
    int[] renumbered = renumbering();
    for (int i = 0; i < size; i++) {
      boolean isIpv4 = i >= below && i < below + ipv4;
      int old = sortIds[isIpv4 ? i - below : i < below ? ipv4 + i : i];
      renumbered[old] = i;
      sortedHigh[i] = high[old];
      sortedLow[i] = low[old];
    }
    high = sortedHigh;
    low = sortedLow;
    renumber(values.count);
  }

  /** Sorts the ids of the IPv4 addresses, usually most of them; returns their number. */
  private int sortIpv4() {
    reserveSort();
    int n = 0;
    for (int i = 0; i < size; i++) {
      if (IpAddress.isIpv4(high[i], low[i])) {
        sortKeys[n] = low[i] & IPV4;
        sortIds[n++] = i;
      }
    }
    radix.sort(sortKeys, sortIds, 0, n, () -> {});
    return n;
  }

  /** Sorts the ids of the others behind those; returns how many of them are below all of IPv4. */
  private int sortOthers(int ipv4) {
    int n = ipv4;
    int below = 0;
    for (int i = 0; i < size; i++) {
      if (!IpAddress.isIpv4(high[i], low[i])) {
        sortKeys[n] = low[i];
        sortIds[n++] = i;
        below += IpAddress.compare(high[i], low[i], 0, IpAddress.ipv4Low(0)) < 0 ? 1 : 0;
      }
    }
    radix.sort(sortKeys, sortIds, ipv4, n, () -> {});
    for (int i = ipv4; i < n; i++) {
      sortKeys[i] = high[sortIds[i]];
    }
    radix.sort(sortKeys, sortIds, ipv4, n, () -> {}); // stable
    return below;
  }

  private int findOrInsert(long hi, long lo) {
    int hash = hash(hi, lo);
    int slot = hash & mask;
    while (slots[slot] != 0) {
      int id = slots[slot] - 1;
      if (low[id] == lo && high[id] == hi) {
        return id;
      }
      slot = (slot + 1) & mask;
    }
    reserveDistinct();
    if (high.length < low.length) {
      high = Arrays.copyOf(high, low.length);
    }
    low[size] = lo;
    high[size] = hi;
    slots[slot] = ++size;
    if (2 * size > mask) {
      growSlots();
      for (int i = 0; i < size; i++) {
        put(hash(high[i], low[i]), i);
      }
    }
    return size - 1;
  }

  /** Numbers every text; all may be different, as the ids of connections in logs are. */
  void buildTexts(ColumnValues values) {
    prepare(values.count);
    texts = values.texts;
    size = texts.size();
    int[] renumbered = renumbering();
    texts.sort(renumbered);
    for (int i = 0; i < values.count; i++) {
      ids[i] = renumbered[values.numbers[i]];
    }
  }
}
