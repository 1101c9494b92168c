package org.flowmon.udaf.quantile;

/**
 * A summary: ascending values, then a word per value: gap (high 32 bits), weight (low ones,
 * signed).
 *
 * <pre>
 *   at: capacity values | at + capacity: capacity of gap, weight
 * </pre>
 */
final class PadWords {
  /** The most values of a stream, so that gaps and weights fit 32 bits. */
  static final long MAX_COUNT = 1L << 30;

  private PadWords() {}

  static int gap(long packed) {
    return (int) (packed >>> 32);
  }

  static int weight(long packed) {
    return (int) packed;
  }

  static long pack(int gap, int weight) {
    return (long) gap << 32 | (weight & 0xFFFF_FFFFL);
  }

  static void load(long[] pads, int at, int capacity, int size, long count, Summary into) {
    int packed = at + capacity;
    int gaps = 0;
    for (int i = 0; i < size; i++) {
      gaps |= gap(pads[packed + i]);
    }
    into.reset(size, gaps != 0);
    System.arraycopy(pads, at, into.values, 0, size);
    for (int i = 0; i < size; i++) {
      into.weights[i] = weight(pads[packed + i]);
    }
    for (int i = 0; i < size && gaps != 0; i++) {
      into.gaps()[i] = gap(pads[packed + i]);
    }
    into.size = size;
    into.count = count;
  }

  static void store(Summary from, long[] pads, int at, int capacity) {
    System.arraycopy(from.values, 0, pads, at, from.size);
    for (int i = 0; i < from.size; i++) {
      pads[at + capacity + i] = pack((int) from.gap(i), (int) from.weights[i]);
    }
  }
}
