package org.flowmon.udaf.expression;

/** A fixed set of longs: compared one by one while few, hashed beyond. */
final class LongSet {
  private static final int FEW = 8;

  private final long[] points;
  private final long[] slots;
  private final boolean[] used;

  LongSet(long[] points) {
    this.points = points;
    int size = Integer.highestOneBit(Math.max(points.length, 1) * 4 - 1);
    boolean few = points.length <= FEW;
    this.slots = few ? null : new long[size];
    this.used = few ? null : new boolean[size];
    if (!few) {
      for (long point : points) {
        int at = slot(point);
        slots[at] = point;
        used[at] = true;
      }
    }
  }

  boolean contains(long value) {
    if (slots == null) {
      boolean found = false;
      for (long point : points) {
        found |= point == value;
      }
      return found;
    }
    return used[slot(value)];
  }

  /** The slot of the value, or the free one where it would be. */
  private int slot(long value) {
    int mask = slots.length - 1;
    int at = (int) ((value * 0x9E3779B97F4A7C15L) >>> 32) & mask;
    while (used[at] && slots[at] != value) {
      at = (at + 1) & mask;
    }
    return at;
  }
}
