package org.flowmon.udaf.countmin;

import java.util.Arrays;
import org.flowmon.flow.TableHash;

/** A growing hash table of items with their weights. */
public final class ItemCounts {
  private static final int STRIDE = 3;

  // high, low, weight; 0 if the slot is empty
  private long[] slots = new long[4 * STRIDE];
  private int size;

  public int size() {
    return size;
  }

  public int words() {
    return slots.length;
  }

  public static int words(int items) {
    int slots = 4;
    while (4 * items > 3 * slots) {
      slots *= 2;
    }
    return slots * STRIDE;
  }

  /** Adds a weight, at least 1. */
  public void add(long high, long low, long weight) {
    int place = place(high, low);
    if (slots[place + 2] == 0) {
      if (4 * (size + 1) > 3 * (slots.length / STRIDE)) {
        grow();
        place = place(high, low);
      }
      slots[place] = high;
      slots[place + 1] = low;
      size++;
    }
    slots[place + 2] = ItemKey.plus(slots[place + 2], weight);
  }

  /** 0 if it did not occur. */
  public long weight(long high, long low) {
    return slots[place(high, low) + 2];
  }

  private static int first(long high, long low, int slots) {
    return (int) TableHash.of(high, low) & (slots - 1);
  }

  /** The sum of the items' distances from their first slots: the number of wasted probes. */
  long displacement() {
    int count = slots.length / STRIDE;
    long sum = 0;
    for (int s = 0; s < count; s++) {
      int at = s * STRIDE;
      sum += slots[at + 2] == 0 ? 0 : (s - first(slots[at], slots[at + 1], count)) & (count - 1);
    }
    return sum;
  }

  private int place(long high, long low) {
    int count = slots.length / STRIDE;
    for (int s = first(high, low, count); ; s++) {
      int place = (s & count - 1) * STRIDE;
      if (slots[place + 2] == 0 || (slots[place] == high && slots[place + 1] == low)) {
        return place;
      }
    }
  }

  private void grow() {
    long[] old = slots;
    slots = new long[2 * old.length];
    for (int at = 0; at < old.length; at += STRIDE) {
      if (old[at + 2] != 0) {
        System.arraycopy(old, at, slots, place(old[at], old[at + 1]), STRIDE);
      }
    }
  }

  /** Takes the median off all weights and drops empty items, by weights alone; 0 without items. */
  public long takeMedian() {
    if (size == 0) {
      return 0;
    }
    long[] weights = new long[size];
    int[] next = {0};
    forEach((high, low, weight) -> weights[next[0]++] = weight);
    Arrays.sort(weights);
    long median = weights[size / 2];
    long[] old = slots;
    slots = new long[old.length];
    size = 0;
    for (int at = 0; at < old.length; at += STRIDE) {
      if (old[at + 2] > median) {
        add(old[at], old[at + 1], old[at + 2] - median);
      }
    }
    return median;
  }

  public void forEach(PairBytes.Target target) {
    for (int at = 0; at < slots.length; at += STRIDE) {
      if (slots[at + 2] != 0) {
        target.add(slots[at], slots[at + 1], slots[at + 2]);
      }
    }
  }

  /** High, low, weight, by key unsigned. */
  public long[] sorted() {
    long[] all = new long[STRIDE * size];
    int[] next = {0};
    forEach(
        (high, low, weight) -> {
          all[next[0]++] = high;
          all[next[0]++] = low;
          all[next[0]++] = weight;
        });
    sort(all, size);
    return all;
  }

  /** High, low, weight by key unsigned, in place: a heap sort. */
  public static void sort(long[] triples, int count) {
    for (int root = count / 2 - 1; root >= 0; root--) {
      sink(triples, root, count);
    }
    for (int end = count - 1; end > 0; end--) {
      swap(triples, 0, end);
      sink(triples, 0, end);
    }
  }

  private static void sink(long[] triples, int from, int count) {
    int root = from;
    for (int child = 2 * root + 1; child < count; child = 2 * root + 1) {
      if (child + 1 < count && isBelow(triples, child, child + 1)) {
        child++;
      }
      if (!isBelow(triples, root, child)) {
        return;
      }
      swap(triples, root, child);
      root = child;
    }
  }

  private static boolean isBelow(long[] triples, int a, int b) {
    int high = Long.compareUnsigned(triples[STRIDE * a], triples[STRIDE * b]);
    return high != 0
        ? high < 0
        : Long.compareUnsigned(triples[STRIDE * a + 1], triples[STRIDE * b + 1]) < 0;
  }

  private static void swap(long[] triples, int a, int b) {
    for (int w = 0; w < STRIDE; w++) {
      long other = triples[STRIDE * a + w];
      triples[STRIDE * a + w] = triples[STRIDE * b + w];
      triples[STRIDE * b + w] = other;
    }
  }
}
