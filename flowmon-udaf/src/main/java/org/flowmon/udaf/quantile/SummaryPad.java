package org.flowmon.udaf.quantile;

import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.function.StateSink;
import org.flowmon.udaf.function.SubAggregate;
import org.flowmon.udaf.query.ValueKind;

/**
 * The low halves <i>medium</i> and <i>heavy</i>: a summary of Greenwald and Khanna in the
 * scratchpad. A value that is there gets heavier; another goes in with the gap of the value behind
 * it, which is all that insertion changes. <i>Heavy</i> compresses the whole where the pad is full,
 * and is flushed where that frees too little; <i>medium</i> tries two values after each insertion,
 * the one put in and one at random, and is flushed where the pad is full.
 *
 * <pre>
 *   word 0: size | 1: values of the stream | capacity values, ascending | capacity of gap u32, weight i32
 * </pre>
 *
 * <p>Values lie in a sorted array, not in a list or a skip list: moving what lies behind a new one
 * is one copy, no slower than following links is ({@code SortedPlacesBenchmark}), and links would
 * take half as much space again.
 */
final class SummaryPad implements SubAggregate {
  /** A pad is flushed at the latest after so many values, so that gaps and weights fit 32 bits. */
  private static final long MAX_COUNT = 1L << 30;

  private static final int HEADER = 2;

  private final QuantileParameters parameters;
  private final boolean ofDoubles;
  private final boolean isHeavy;
  private final int capacity;
  private final int enough;
  private final Summary scratch = new Summary();

  SummaryPad(QuantileParameters parameters) {
    this.parameters = parameters;
    this.ofDoubles = parameters.kind() == ValueKind.DOUBLE;
    this.isHeavy = parameters.strategy() == QuantileParameters.Strategy.HEAVY;
    this.capacity = (parameters.words() - HEADER) / 2;
    this.enough = capacity - Math.max(1, capacity / 8);
  }

  @Override
  public int words() {
    return HEADER + 2 * capacity;
  }

  @Override
  public int maxBytes() {
    return SummaryBytes.maxBytesOfSummary(capacity);
  }

  @Override
  public void initialize(long[] pads, int at) {
    pads[at] = 0;
    pads[at + 1] = 0;
  }

  @Override
  public int iterate(
      Vector[] arguments, int[] selection, int from, int to, long[] pads, int[] places, int word) {
    Vector vector = arguments[0];
    long[] values = vector.values();
    boolean allValid = vector.allValid();
    for (int r = from; r < to; r++) {
      int i = selection[r];
      if (allValid || vector.isValid(i)) {
        long value = ofDoubles ? Words.ofDouble(values[i]) : values[i];
        if (!add(pads, places[r] + word, value)) {
          return r;
        }
      }
    }
    return to;
  }

  /** Adds a value; false where there is no room. */
  private boolean add(long[] pads, int pad, long value) {
    long count = pads[pad + 1];
    int size = (int) pads[pad];
    int first = pad + HEADER;
    int place = find(pads, first, size, value);
    if (place < size && pads[first + place] == value) {
      if (count == MAX_COUNT) {
        return false;
      }
      int at = first + capacity + place;
      pads[at] = pack(gap(pads[at]), weight(pads[at]) + 1);
      pads[pad + 1] = count + 1;
      return true;
    }
    if (size == capacity) {
      if (!isHeavy || count == MAX_COUNT) {
        return false;
      }
      size = compress(pads, pad, size, parameters.lowLimit(count));
      if (size > enough) {
        return false;
      }
      place = find(pads, first, size, value);
    }
    insert(pads, pad, size, place, value);
    pads[pad + 1] = ++count;
    if (!isHeavy) {
      probe(pads, pad, place, parameters.lowLimit(count), value * count);
    }
    return true;
  }

  /** The place of the first value that is not below. It goes without branches to foresee. */
  private static int find(long[] pads, int first, int size, long value) {
    int low = first;
    for (int left = size; left > 0; ) {
      int half = (left + 1) >>> 1;
      low = pads[low + half - 1] < value ? low + half : low;
      left -= half;
    }
    return low - first;
  }

  private void insert(long[] pads, int pad, int size, int place, long value) {
    int at = pad + HEADER + place;
    int behind = size - place;
    System.arraycopy(pads, at, pads, at + 1, behind);
    System.arraycopy(pads, at + capacity, pads, at + capacity + 1, behind);
    int gap = behind == 0 ? 0 : gap(pads[at + capacity + 1]);
    pads[at] = value;
    pads[at + capacity] = pack(gap, 1 - gap);
    pads[pad] = size + 1L;
  }

  /** Takes out the value at a place and one at random, if the limit lets them go. */
  private void probe(long[] pads, int pad, int place, long limit, long mixed) {
    if (limit == 0) {
      return;
    }
    drop(pads, pad, place, limit);
    long hash = mixed * 0x9E3779B97F4A7C15L;
    drop(pads, pad, (int) (((hash >>> 32) * pads[pad]) >>> 32), limit);
  }

  private void drop(long[] pads, int pad, int place, long limit) {
    int size = (int) pads[pad];
    if (place < 1 || place >= size - 1) {
      return; // the least and the greatest value stay
    }
    int at = pad + HEADER + capacity + place;
    int next = gap(pads[at + 1]);
    long joined = (long) gap(pads[at]) + weight(pads[at]) + next;
    if (joined > limit) {
      return;
    }
    pads[at + 1] = pack((int) joined, weight(pads[at + 1]));
    int behind = size - place - 1;
    System.arraycopy(pads, at + 1, pads, at, behind);
    System.arraycopy(pads, at - capacity + 1, pads, at - capacity, behind);
    pads[pad] = size - 1L;
  }

  private int compress(long[] pads, int pad, int size, long limit) {
    load(pads, pad, size);
    scratch.compress(Math.max(2, capacity / 2), limit);
    for (int i = 0; i < scratch.size; i++) {
      int at = pad + HEADER + i;
      pads[at] = scratch.values[i];
      pads[at + capacity] = pack((int) scratch.gap(i), (int) scratch.weights[i]);
    }
    pads[pad] = scratch.size;
    return scratch.size;
  }

  private void load(long[] pads, int pad, int size) {
    int first = pad + HEADER;
    boolean withGaps = false;
    for (int i = 0; i < size && !withGaps; i++) {
      withGaps = gap(pads[first + capacity + i]) != 0;
    }
    scratch.reset(size, withGaps);
    for (int i = 0; i < size; i++) {
      scratch.values[i] = pads[first + i];
      scratch.weights[i] = weight(pads[first + capacity + i]);
      if (withGaps) {
        scratch.gaps[i] = gap(pads[first + capacity + i]);
      }
    }
    scratch.size = size;
    scratch.count = pads[pad + 1];
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    load(pads, at, (int) pads[at]);
    SummaryBytes.write(scratch, sink);
  }

  private static int gap(long packed) {
    return (int) (packed >>> 32);
  }

  private static int weight(long packed) {
    return (int) packed;
  }

  private static long pack(int gap, int weight) {
    return (long) gap << 32 | (weight & 0xFFFF_FFFFL);
  }
}
