package org.flowmon.udaf.countmin;

import org.flowmon.flow.IpAddress;

/**
 * Hierarchical count-min sketches of 32-bit items ("Holistic UDAFs at Streaming Speeds", section
 * 4.2) in the caller's words: exact sums of 8-bit prefixes, sketches of 16 and 24 bits and of the
 * items.
 *
 * <pre>
 *   0       1                257
 *   +-------+----------------+----------------------------------------------------+
 *   | total | 256 exact sums | 16 bits: depth rows of width cells | 24 … | 32 …   |
 *   +-------+----------------+----------------------------------------------------+
 * </pre>
 *
 * <p>The exact sums, and each row's cells, add up to the total. No cell is below the weight of an
 * item in it: the smallest of an item or one of its prefixes is an upper bound.
 */
public final class NarrowSketch {
  static final int EXACT = 256;
  static final int LEVELS = 3;

  private static final int EXACT_AT = 1;
  private static final int CELLS_AT = EXACT_AT + EXACT;
  private static final int CHILDREN = 256;
  // A search above the noise, 1 / width of all, expands about width prefixes of a level at most.
  private static final int EXPANDED_PER_CELL = 16;

  private final int width;
  private final int depth;
  private final int shift;
  private final long[] coefficients;

  /** Two coefficients for each row of each level. */
  NarrowSketch(int width, int depth, long[] coefficients) {
    this.width = width;
    this.depth = depth;
    this.shift = 64 - Integer.numberOfTrailingZeros(width);
    this.coefficients = coefficients;
  }

  public int words() {
    return CELLS_AT + LEVELS * depth * width;
  }

  private int cell(int row, long prefix) {
    return CELLS_AT
        + row * width
        + (int) ((coefficients[2 * row] * prefix + coefficients[2 * row + 1]) >>> shift);
  }

  private static long prefix(int id, int level) {
    return (id & 0xFFFF_FFFFL) >>> (8 * (LEVELS - 1 - level));
  }

  /** Adds a weight, at least 1. */
  public void add(long[] words, int at, int id, long weight) {
    words[at] = ItemKey.plus(words[at], weight);
    int exact = at + EXACT_AT + (id >>> 24);
    words[exact] = ItemKey.plus(words[exact], weight);
    for (int level = 0, row = 0; level < LEVELS; level++) {
      long prefix = prefix(id, level);
      for (int end = row + depth; row < end; row++) {
        int cell = at + cell(row, prefix);
        words[cell] = ItemKey.plus(words[cell], weight);
      }
    }
  }

  public void merge(long[] words, int at, long[] others, int from) {
    for (int w = 0; w < words(); w++) {
      words[at + w] = ItemKey.plus(words[at + w], others[from + w]);
    }
  }

  /** An upper bound of a prefix of level 0, 1 or 2: 16, 24 or 32 bits. */
  private long upper(long[] words, int at, int level, long prefix) {
    long least = Long.MAX_VALUE;
    for (int row = level * depth; row < (level + 1) * depth; row++) {
      least = Math.min(least, words[at + cell(row, prefix)]);
    }
    return least;
  }

  public long upper(long[] words, int at, int id) {
    long least = words[at + EXACT_AT + (id >>> 24)];
    for (int level = 0; level < LEVELS; level++) {
      least = Math.min(least, upper(words, at, level, prefix(id, level)));
    }
    return least;
  }

  /** The median over rows of the differences of cells: unchanged items cancel out. */
  public double change(long[] before, long[] after, int id) {
    double[] changes = new double[depth];
    for (int i = 0; i < depth; i++) {
      int cell = cell((LEVELS - 1) * depth + i, id & 0xFFFF_FFFFL);
      changes[i] = (double) after[cell] - before[cell];
    }
    return WideSketch.median(changes);
  }

  int mostExpanded() {
    return EXPANDED_PER_CELL * width;
  }

  /**
   * From the top down by largest upper bound, then by number, at most {@code limit} items: all of
   * at least the threshold (from 1, on upper bounds), unless {@link #mostExpanded} prefixes come
   * before.
   */
  public void search(long[] words, int at, long threshold, int limit, ItemSink found) {
    PrefixHeap heap = new PrefixHeap();
    for (int top = 0; top < EXACT; top++) {
      long upper = words[at + EXACT_AT + top];
      if (upper >= threshold) {
        heap.push(upper, 0, top);
      }
    }
    int expanded = 0;
    int given = 0;
    while (given < limit && heap.pop()) {
      long bound = heap.bound();
      int level = heap.level();
      long prefix = heap.prefix();
      if (level == LEVELS) {
        found.add(0, IpAddress.ipv4Low((int) prefix), bound);
        given++;
      } else if (expanded++ < mostExpanded()) {
        for (int child = 0; child < CHILDREN; child++) {
          long next = prefix << 8 | child;
          long upper = Math.min(bound, upper(words, at, level, next));
          if (upper >= threshold) {
            heap.push(upper, level + 1, next);
          }
        }
      }
    }
  }
}
