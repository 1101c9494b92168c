package org.flowmon.udaf.countmin;

import java.util.Arrays;

/**
 * Hierarchical count-min sketches of 128-bit items, at IPv6's usual allocations: /32 to a provider,
 * /48 to a site, /64 to a network, /128 to a host. A search cannot try all extensions, as a network
 * has 2^64 hosts. So the heaviest items are {@link Candidates}, with a certain lower bound, which
 * count-min lacks; the levels lower their upper bounds.
 *
 * <pre>
 *   0       1
 *   +-------+------------------------------------------------------------+------------+
 *   | total | /32: depth rows of width cells | /48 … | /64 … | /128 …    | candidates |
 *   +-------+------------------------------------------------------------+------------+
 * </pre>
 */
public final class WideSketch {
  static final int LEVELS = 4;

  private static final int CELLS_AT = 1;
  private static final int COEFFICIENTS = 5;
  private static final long LOW_32 = 0xFFFF_FFFFL;
  // By level: the bits kept of an item's two words.
  private static final long[] HIGH_MASKS = {-1L << 32, -1L << 16, -1L, -1L};
  private static final long[] LOW_MASKS = {0, 0, 0, -1L};

  private final int width;
  private final int depth;
  private final int shift;
  private final long[] coefficients;

  /** Five coefficients for each row of each level. */
  WideSketch(int width, int depth, long[] coefficients) {
    this.width = width;
    this.depth = depth;
    this.shift = 64 - Integer.numberOfTrailingZeros(width);
    this.coefficients = coefficients;
  }

  public int words() {
    return candidatesAt() + Candidates.words(width);
  }

  public int candidatesAt() {
    return CELLS_AT + LEVELS * depth * width;
  }

  /** Makes candidates for a writer of this shape; they have scratch memory of their own. */
  public Candidates newCandidates() {
    return new Candidates(width);
  }

  private int cell(int row, long high, long low) {
    int c = row * COEFFICIENTS;
    long sum =
        coefficients[c] * (high >>> 32)
            + coefficients[c + 1] * (high & LOW_32)
            + coefficients[c + 2] * (low >>> 32)
            + coefficients[c + 3] * (low & LOW_32)
            + coefficients[c + 4];
    return CELLS_AT + row * width + (int) (sum >>> shift);
  }

  /** Adds a weight, at least 1. */
  public void add(long[] words, int at, long high, long low, long weight, Candidates candidates) {
    words[at] = ItemKey.plus(words[at], weight);
    for (int level = 0, row = 0; level < LEVELS; level++) {
      long prefixHigh = high & HIGH_MASKS[level];
      long prefixLow = low & LOW_MASKS[level];
      for (int end = row + depth; row < end; row++) {
        int cell = at + cell(row, prefixHigh, prefixLow);
        words[cell] = ItemKey.plus(words[cell], weight);
      }
    }
    candidates.add(words, at + candidatesAt(), high, low, weight);
  }

  public void merge(long[] words, int at, long[] others, int from, Candidates candidates) {
    for (int w = 0; w < candidatesAt(); w++) {
      words[at + w] = ItemKey.plus(words[at + w], others[from + w]);
    }
    candidates.merge(words, at + candidatesAt(), others, from + candidatesAt());
  }

  long cellUpper(long[] words, int at, long high, long low) {
    long least = Long.MAX_VALUE;
    for (int level = 0, row = 0; level < LEVELS; level++) {
      long prefixHigh = high & HIGH_MASKS[level];
      long prefixLow = low & LOW_MASKS[level];
      for (int end = row + depth; row < end; row++) {
        least = Math.min(least, words[at + cell(row, prefixHigh, prefixLow)]);
      }
    }
    return least;
  }

  public long upper(long[] words, int at, long high, long low) {
    int candidates = at + candidatesAt();
    long kept = Candidates.weight(words, candidates, width, high, low);
    return Math.min(
        cellUpper(words, at, high, low), ItemKey.plus(kept, Candidates.offset(words, candidates)));
  }

  public long lower(long[] words, int at, long high, long low) {
    return Candidates.weight(words, at + candidatesAt(), width, high, low);
  }

  public double change(long[] before, long[] after, long high, long low) {
    double[] changes = new double[depth];
    for (int i = 0; i < depth; i++) {
      int cell = cell((LEVELS - 1) * depth + i, high, low);
      changes[i] = (double) after[cell] - before[cell];
    }
    return median(changes);
  }

  /** The middle value, or the mean of the two middle ones; sorts the values. */
  static double median(double[] values) {
    Arrays.sort(values);
    int half = values.length / 2;
    return values.length % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  }

  /**
   * Candidates of such upper bounds, in no order; others weigh at most {@link Candidates#offset}.
   */
  public void search(long[] words, int at, long threshold, ItemSink found) {
    int slots = at + candidatesAt() + Candidates.SLOTS;
    for (int s = 0; s < Candidates.slots(width); s++) {
      int slot = slots + 3 * s;
      if (words[slot + 2] != 0) {
        long upper = upper(words, at, words[slot], words[slot + 1]);
        if (upper >= threshold) {
          found.add(words[slot], words[slot + 1], upper);
        }
      }
    }
  }
}
