package org.flowmon.archive.query.group.table;

import java.util.Arrays;
import org.flowmon.archive.query.group.partition.LongArrayPool;
import org.flowmon.archive.query.group.partition.LongSorter;
import org.flowmon.flow.TableHash;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.value.AnswerTooLargeException;
import org.flowmon.udaf.vector.Vector;

/** The groups of one partition. Not thread-safe. */
public final class PackedTable {
  private static final int[] IDENTITY = new int[Vector.CAPACITY];
  private static final int FIRST_SLOTS = 64;
  // A larger table is replaced, not cleared, if less than one slot in so many is in use.
  private static final int KEPT_SLOTS = 1 << 12;
  private static final int SPARE = 32;

  static {
    Arrays.setAll(IDENTITY, i -> i);
  }

  private final GroupLayout layout;
  private final int stride;
  // The number of a group + 1; 0: free.
  private int[] slots = new int[FIRST_SLOTS];
  private int shift = Long.numberOfLeadingZeros(FIRST_SLOTS) + 1;
  private long[] keys = new long[16];
  private long[] states;
  private int size;
  private LongSorter sorter = new LongSorter();
  private final GroupMemory memory;
  private long taken; // charged to memory

  public PackedTable(GroupLayout layout, GroupMemory memory) {
    this.layout = layout;
    this.memory = memory;
    this.stride = layout.stateWords();
    this.states = new long[16 * stride];
  }

  /** Charges the table's bytes, except those of a table with a few groups. */
  private void take(long bytes) {
    memory.take(bytes - taken);
    taken = bytes;
  }

  private static long bytes(long capacity, int stride, long slots) {
    return Long.BYTES * capacity * (1 + stride) + Integer.BYTES * slots;
  }

  void release() {
    take(0);
  }

  public int size() {
    return size;
  }

  public long[] states() {
    return states;
  }

  public long key(int group) {
    return keys[group];
  }

  public int stateAt(int group) {
    return group * stride;
  }

  /** Adds n ≤ {@link Vector#CAPACITY} rows with {@code wanted} keys; overwrites {@code places}. */
  public void add(
      long[] wanted, Vector[] arguments, int n, Accumulation accumulation, int[] places) {
    memory.check();
    reserve(size + n);
    find(wanted, n, places);
    accumulation.add(arguments, IDENTITY, 0, n, states, places);
  }

  private void find(long[] wanted, int n, int[] places) {
    int[] index = slots;
    long[] known = keys;
    int mask = index.length - 1;
    boolean zeros = layout.startsWithZeros();
    for (int r = 0; r < n; r++) {
      long key = wanted[r];
      int slot = first(key, shift);
      int group = index[slot] - 1;
      while (group >= 0 && known[group] != key) {
        slot = (slot + 1) & mask;
        group = index[slot] - 1;
      }
      if (group < 0) {
        group = size++;
        index[slot] = size;
        known[group] = key;
        if (!zeros) {
          layout.reset(states, group * stride);
        }
      }
      places[r] = group * stride;
    }
  }

  /** The sum of the groups' distances from their own slots: the number of wasted probes. */
  public long displacement() {
    long sum = 0;
    for (int slot = 0; slot < slots.length; slot++) {
      sum +=
          slots[slot] == 0 ? 0 : (slot - first(keys[slots[slot] - 1], shift)) & (slots.length - 1);
    }
    return sum;
  }

  private static int first(long key, int shift) {
    return (int) (TableHash.of(key) >>> shift);
  }

  /** Makes room in advance: no array grows while rows are added. */
  private void reserve(int groups) {
    if (groups > keys.length) {
      LongArrayPool.words(groups, stride); // which throws if these are too many
      long capacity = Math.min(LongArrayPool.most(stride), Math.max(groups, 2L * keys.length));
      take(bytes(capacity, stride, slots.length));
      keys = Arrays.copyOf(keys, (int) capacity);
      states = Arrays.copyOf(states, (int) capacity * stride);
    }
    if (2L * groups > slots.length) {
      if (slots.length == 1 << 30) {
        throw new AnswerTooLargeException(groups, "groups in one part", 1 << 29);
      }
      int length = Integer.highestOneBit(groups) << 2;
      take(bytes(keys.length, stride, length));
      slots = new int[length];
      shift = Long.numberOfLeadingZeros(length) + 1;
      for (int group = 0; group < size; group++) {
        int slot = first(keys[group], shift);
        while (slots[slot] != 0) {
          slot = (slot + 1) & (length - 1);
        }
        slots[slot] = group + 1;
      }
    }
  }

  /** Also shrinks a large table that few groups used this time. */
  public void clear() {
    if (slots.length > KEPT_SLOTS && size < slots.length / SPARE) {
      slots = new int[FIRST_SLOTS];
      shift = Long.numberOfLeadingZeros(FIRST_SLOTS) + 1;
      keys = new long[16];
      states = new long[16 * stride];
      sorter = new LongSorter();
      size = 0;
      take(0);
      return;
    }
    Arrays.fill(slots, 0);
    Arrays.fill(states, 0, size * stride, 0);
    size = 0;
  }

  /** Group numbers in key order. */
  public int[] order() {
    int groupBits = LongSorter.bits(Math.max(1, size - 1));
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int group = 0; group < size; group++) {
      least = Math.min(least, keys[group]);
      most = Math.max(most, keys[group]);
    }
    int keyBits = size == 0 ? 0 : LongSorter.bits(most - least);
    int[] groups = new int[size];
    if (keyBits + groupBits >= Long.SIZE) {
      long[] ascending = Arrays.copyOf(keys, size);
      Arrays.sort(ascending);
      for (int group = 0; group < size; group++) {
        groups[Arrays.binarySearch(ascending, keys[group])] = group;
      }
      return groups;
    }
    long[] numbered = sorter.room(size);
    for (int group = 0; group < size; group++) {
      numbered[group] = ((keys[group] - least) << groupBits) | group;
    }
    long[] sorted = sorter.sort(size, 0, groupBits, keyBits);
    for (int i = 0; i < size; i++) {
      groups[i] = (int) sorted[i] & ((1 << groupBits) - 1);
    }
    return groups;
  }
}
