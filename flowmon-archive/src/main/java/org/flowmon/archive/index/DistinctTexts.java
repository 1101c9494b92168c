package org.flowmon.archive.index;

import java.util.Arrays;
import org.flowmon.flow.TableHash;
import org.flowmon.flow.bytes.BigEndian;
import org.flowmon.flow.bytes.ByteSink;
import org.flowmon.udaf.order.RadixSort;

/**
 * The distinct texts of a column as UTF-8, in one array: numbered as they come, then sorted.
 * Allocates nothing for a text. Reused. Not thread-safe.
 */
public final class DistinctTexts {
  private static final int FIRST_SLOTS = 1 << 12;
  // Fewer are compared rather than sorted by their bytes.
  private static final int FEW = 24;
  private static final int MAX_RADIX_BYTES = 64;

  private final ByteSink bytes = new ByteSink();
  private final RadixSort radix = new RadixSort();
  // By number: where each text begins; one more is the end of the last.
  private int[] starts = new int[FIRST_SLOTS];
  private int[] hashes = new int[FIRST_SLOTS];
  // 32 bits of the hash, number + 1; 0 if the slot is free.
  private long[] slots = new long[FIRST_SLOTS];
  private int mask = FIRST_SLOTS - 1;
  private int size;
  private int previous;
  // After sorting: the number of each place.
  private int[] order = {};
  private long[] keys = {};

  /** Begins another column. */
  public void clear() {
    bytes.clear();
    mask = FIRST_SLOTS - 1;
    Arrays.fill(slots, 0, FIRST_SLOTS, 0);
    size = 0;
    previous = 0;
  }

  /** Numbers so far. */
  public int size() {
    return size;
  }

  /** The number of a text; a new one gets the next. */
  public int number(byte[] from, int start, int end) {
    if (size > 0 && isText(previous, from, start, end)) {
      return previous; // as often in a row
    }
    int hash = (int) TableHash.of(from, start, end);
    int slot = hash & mask;
    while (slots[slot] != 0) {
      int number = (int) slots[slot] - 1;
      if ((int) (slots[slot] >>> 32) == hash && isText(number, from, start, end)) {
        previous = number;
        return number;
      }
      slot = (slot + 1) & mask;
    }
    append(from, start, end);
    hashes[previous] = hash;
    slots[slot] = (long) hash << 32 | size;
    if (2 * size > mask) {
      grow();
    }
    return previous;
  }

  private void append(byte[] from, int start, int end) {
    previous = size++;
    bytes.write(from, start, end - start);
    if (starts.length <= size) {
      starts = Arrays.copyOf(starts, 2 * starts.length);
      hashes = Arrays.copyOf(hashes, starts.length);
    }
    starts[size] = bytes.size();
  }

  private boolean isText(int number, byte[] from, int start, int end) {
    int at = starts[number];
    return starts[number + 1] - at == end - start
        && Arrays.equals(bytes.array(), at, starts[number + 1], from, start, end);
  }

  private void grow() {
    mask = 4 * mask + 3;
    if (slots.length <= mask) {
      slots = new long[mask + 1];
    } else {
      Arrays.fill(slots, 0, mask + 1, 0);
    }
    for (int number = 0; number < size; number++) {
      int slot = hashes[number] & mask;
      while (slots[slot] != 0) {
        slot = (slot + 1) & mask;
      }
      slots[slot] = (long) hashes[number] << 32 | (number + 1);
    }
  }

  /** Sorts the texts by their bytes; {@code places[number]} becomes the place of each. */
  public void sort(int[] places) {
    if (order.length < size) {
      order = new int[Math.max(size, starts.length)];
      keys = new long[order.length];
    }
    for (int i = 0; i < size; i++) {
      order[i] = i;
    }
    sort(0, size, 0);
    for (int place = 0; place < size; place++) {
      places[order[place]] = place;
    }
  }

  /** Sorts texts that are equal before {@code at}, by eight bytes at a time. */
  private void sort(int from, int to, int at) {
    if (to - from < FEW) {
      insert(from, to);
      return;
    }
    if (at == MAX_RADIX_BYTES) {
      Integer[] some = new Integer[to - from];
      Arrays.setAll(some, i -> order[from + i]);
      Arrays.sort(some, this::compare);
      for (int i = from; i < to; i++) {
        order[i] = some[i - from];
      }
      return;
    }
    for (int i = from; i < to; i++) {
      keys[i] = eightBytes(starts[order[i]] + at, starts[order[i] + 1]);
    }
    radix.sort(keys, order, from, to, () -> {});
    int run = from;
    while (run < to) {
      int end = run + 1;
      while (end < to && keys[end] == keys[run]) {
        end++;
      }
      if (end - run > 1) {
        sort(run, end, at + Long.BYTES);
      }
      run = end;
    }
  }

  private void insert(int from, int to) {
    for (int i = from + 1; i < to; i++) {
      int number = order[i];
      int place = i;
      for (; place > from && compare(order[place - 1], number) > 0; place--) {
        order[place] = order[place - 1];
      }
      order[place] = number;
    }
  }

  private int compare(int a, int b) {
    byte[] all = bytes.array();
    return Arrays.compareUnsigned(all, starts[a], starts[a + 1], all, starts[b], starts[b + 1]);
  }

  /** Big-endian; zeros behind the end, which a longer text may have too. */
  private long eightBytes(int at, int end) {
    byte[] all = bytes.array();
    if (at + Long.BYTES <= end) {
      return BigEndian.getLong(all, at);
    }
    long word = 0;
    for (int i = at; i < at + Long.BYTES; i++) {
      word = word << 8 | (i < end ? all[i] & 0xFF : 0);
    }
    return word;
  }

  /** Bytes of all texts. */
  public int bytes() {
    return bytes.size();
  }

  /** Bytes of the text at a place after {@link #sort}. */
  public int length(int place) {
    return starts[order[place] + 1] - starts[order[place]];
  }

  /** Appends the text at a place after {@link #sort}. */
  public void write(int place, ByteSink out) {
    int number = order[place];
    out.write(bytes.array(), starts[number], starts[number + 1] - starts[number]);
  }

  /** A copy of the text at a place after {@link #sort}. */
  public byte[] text(int place) {
    int number = order[place];
    return Arrays.copyOfRange(bytes.array(), starts[number], starts[number + 1]);
  }
}
