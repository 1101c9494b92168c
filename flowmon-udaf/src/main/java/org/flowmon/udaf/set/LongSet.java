package org.flowmon.udaf.set;

import org.flowmon.flow.TableHash;

/** A fixed set of longs: few are compared one by one, more are hashed. */
public final class LongSet {
  private static final int FEW = 8;

  private final long[] points;
  private final long[] slots;
  private final boolean[] used;

  public LongSet(long[] points) {
    this.points = points;
    int size = Integer.highestOneBit(Math.max(points.length, 1) * 4 - 1);
    boolean few = points.length <= FEW;
    this.slots = new long[few ? 0 : size];
    this.used = new boolean[few ? 0 : size];
    if (!few) {
      for (long point : points) {
        int at = slot(point);
        slots[at] = point;
        used[at] = true;
      }
    }
  }

  public boolean contains(long value) {
    if (slots.length == 0) {
      boolean found = false;
      for (long point : points) {
        found |= point == value;
      }
      return found;
    }
    return used[slot(value)];
  }

  /** The sum of the values' distances from their first slots: the number of wasted probes. */
  long displacement() {
    long sum = 0;
    for (int slot = 0; slot < slots.length; slot++) {
      sum += used[slot] ? (slot - first(slots[slot])) & (slots.length - 1) : 0;
    }
    return sum;
  }

  private int first(long value) {
    return (int) TableHash.of(value) & (slots.length - 1);
  }

  private int slot(long value) {
    int mask = slots.length - 1;
    int at = first(value);
    while (used[at] && slots[at] != value) {
      at = (at + 1) & mask;
    }
    return at;
  }
}
