package org.flowmon.udaf.countmin;

import java.util.Arrays;
import org.flowmon.flow.TableHash;

/**
 * The heaviest items so far, each with a weight at most its true one (Misra and Gries 1982, with
 * weights and merging as Agarwal and others, "Mergeable summaries", 2012). If they are too many,
 * the median of all weights is subtracted from each, and items without weight are dropped;
 * <i>offset</i> is the sum of these medians, at most 2 / C of the sum of weights, as half of the C
 * weights lose it whole. A true weight is between the kept one (0 if dropped) and that plus the
 * offset, whatever the order of adding and merging. It has scratch memory: of one thread.
 *
 * <pre>
 *   0        1      2
 *   +--------+------+----------------------------+
 *   | offset | used | slots: high, low, weight … |   weight 0: empty
 *   +--------+------+----------------------------+
 * </pre>
 */
public final class Candidates {
  static final int SLOTS = 2;

  private static final int USED = 1;

  private final int width;
  private final long[] weights;
  private final long[] kept;
  // Allocated on first use.
  private long[] merged = {};

  /** The sketch's width is a power of two from 16: three quarters of it are candidates. */
  Candidates(int width) {
    this.width = width;
    this.weights = new long[capacity(width) + 1];
    this.kept = new long[3 * (capacity(width) + 1)];
  }

  static int slots(int width) {
    return width;
  }

  static int capacity(int width) {
    return width / 4 * 3;
  }

  static int words(int width) {
    return SLOTS + 3 * slots(width);
  }

  /** The most that kept weights are below the true ones. */
  public static long offset(long[] words, int at) {
    return words[at];
  }

  static int size(long[] words, int at) {
    return (int) words[at + USED];
  }

  private static int first(int width, long high, long low) {
    return (int) TableHash.of(high, low) & (width - 1);
  }

  /** The sum of the items' distances from their first slots: the number of wasted probes. */
  static long displacement(long[] words, int at, int width) {
    long sum = 0;
    for (int s = 0; s < width; s++) {
      int place = at + SLOTS + 3 * s;
      boolean isEmpty = words[place + 2] == 0;
      sum += isEmpty ? 0 : (s - first(width, words[place], words[place + 1])) & (width - 1);
    }
    return sum;
  }

  /** The place of an item's slot, or of the empty slot for it. */
  private static int slot(long[] words, int at, int width, long high, long low) {
    for (int s = first(width, high, low); ; s++) {
      int place = at + SLOTS + 3 * (s & width - 1);
      if (words[place + 2] == 0 || (words[place] == high && words[place + 1] == low)) {
        return place;
      }
    }
  }

  /** 0 if it is no candidate. */
  static long weight(long[] words, int at, int width, long high, long low) {
    return words[slot(words, at, width, high, low) + 2];
  }

  /** Adds a weight, at least 1. */
  void add(long[] words, int at, long high, long low, long weight) {
    int place = slot(words, at, width, high, low);
    if (words[place + 2] == 0) {
      words[place] = high;
      words[place + 1] = low;
      words[at + USED]++;
    }
    words[place + 2] = ItemKey.plus(words[place + 2], weight);
    if (words[at + USED] > capacity(width)) {
      reduce(words, at);
    }
  }

  private void reduce(long[] words, int at) {
    int from = at + SLOTS;
    int to = from + 3 * slots(width);
    int used = 0;
    for (int place = from; place < to; place += 3) {
      if (words[place + 2] != 0) {
        weights[used++] = words[place + 2];
      }
    }
    Arrays.sort(weights, 0, used);
    long median = weights[used / 2];
    int left = 0;
    for (int place = from; place < to; place += 3) {
      if (words[place + 2] > median) {
        kept[left++] = words[place];
        kept[left++] = words[place + 1];
        kept[left++] = words[place + 2] - median;
      }
    }
    Arrays.fill(words, from, to, 0);
    words[at] = ItemKey.plus(words[at], median);
    words[at + USED] = left / 3;
    for (int k = 0; k < left; k += 3) {
      int place = slot(words, at, width, kept[k], kept[k + 1]);
      System.arraycopy(kept, k, words, place, 3);
    }
  }

  /** By key, same width: slot order differs between processes and must decide no drop. */
  void merge(long[] words, int at, long[] others, int from) {
    words[at] = ItemKey.plus(words[at], others[from]);
    if (merged.length == 0) {
      merged = new long[3 * capacity(width)];
    }
    int count = 0;
    for (int s = 0; s < slots(width); s++) {
      int place = from + SLOTS + 3 * s;
      if (others[place + 2] != 0) {
        System.arraycopy(others, place, merged, 3 * count++, 3);
      }
    }
    ItemCounts.sort(merged, count);
    for (int i = 0; i < 3 * count; i += 3) {
      add(words, at, merged[i], merged[i + 1], merged[i + 2]);
    }
  }
}
