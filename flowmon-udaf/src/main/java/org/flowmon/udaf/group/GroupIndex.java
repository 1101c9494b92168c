package org.flowmon.udaf.group;

import java.util.Arrays;
import org.flowmon.udaf.memory.MemoryDraw;
import org.flowmon.udaf.value.AnswerTooLargeException;

/**
 * Finds the rows of a {@link GroupTable} by hash: open addressing over row numbers, with the low
 * half of each row's hash beside them. Most misses touch no row, and growing touches none.
 */
public final class GroupIndex {
  private static final int LARGE = 1 << 11;

  // Slots between two cancellation checks.
  private static final int CHECKED = 1 << 16;

  /** High 32 bits: the low ones of the hash; low 32 bits: row + 1; 0: free. */
  private long[] slots = new long[64];

  private int size;

  private int at;

  private int fragment;

  private final MemoryDraw memory;

  public GroupIndex(MemoryDraw memory) {
    this.memory = memory;
    memory.take(heapBytes());
  }

  public void seek(long hash) {
    at = (int) hash & (slots.length - 1);
    fragment = (int) hash;
  }

  /** The next row whose hash may match the one of {@link #seek}, −1 if there is none. */
  public int next() {
    while (true) {
      long slot = slots[at];
      if (slot == 0) {
        return -1;
      }
      at = (at + 1) & (slots.length - 1);
      if ((int) (slot >>> 32) == fragment) {
        return (int) slot - 1;
      }
    }
  }

  /** Whether random access waits for memory: many other tables share a core's caches. */
  boolean isLarge() {
    return slots.length > LARGE;
  }

  /** The likely first result of {@link #next} after {@link #seek}, if any. */
  int likely(long hash) {
    return (int) slots[(int) hash & (slots.length - 1)] - 1;
  }

  private void grow() {
    if (slots.length == 1 << 30) {
      throw new AnswerTooLargeException(size + 1L, "groups", 1 << 29);
    }
    memory.take(2 * heapBytes()); // beside the old slots
    long[] before = slots;
    slots = new long[2 * before.length];
    for (int i = 0; i < before.length; i++) {
      if (i % CHECKED == 0) {
        memory.check();
      }
      if (before[i] != 0) {
        put(before[i]);
      }
    }
    memory.take(-8L * before.length);
  }

  private void put(long slot) {
    int mask = slots.length - 1;
    int free = (int) (slot >>> 32) & mask;
    while (slots[free] != 0) {
      free = (free + 1) & mask;
    }
    slots[free] = slot;
  }

  public void add(long hash, int row) {
    if (2 * (size + 1) > slots.length) {
      grow();
    }
    put(hash << 32 | (row + 1));
    size++;
  }

  void clear() {
    Arrays.fill(slots, 0);
    size = 0;
  }

  long heapBytes() {
    return 8L * slots.length;
  }

  /** The sum of the rows' distances from their first slots: wasted probes. Reads all slots. */
  long displacement() {
    int mask = slots.length - 1;
    long sum = 0;
    for (int slot = 0; slot < slots.length; slot++) {
      sum += slots[slot] == 0 ? 0 : (slot - (int) (slots[slot] >>> 32)) & mask;
    }
    return sum;
  }
}
