package org.flowmon.udaf.quantile;

import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * The low half <i>medium</i>: a summary of Greenwald and Khanna. A present value gets heavier, a
 * new one takes the gap of the value after it, and two go if the bound allows: the new one and a
 * random one. The pad is flushed when it is full.
 *
 * <pre>
 *   word 0: size | 1: values of the stream | {@link PadWords}
 * </pre>
 *
 * <p>A sorted array, no list or skip list: moving values is one copy, no slower than links ({@code
 * SortedPlacesBenchmark}), which take half as much space again.
 */
final class SummaryPad implements SubAggregate {
  private static final int HEADER = 2;

  private final QuantileParameters parameters;
  private final boolean ofDoubles;
  private final int capacity;
  private final Summary scratch = Summary.reused();

  SummaryPad(QuantileParameters parameters) {
    this.parameters = parameters;
    this.ofDoubles = parameters.kind() == ValueKind.DOUBLE;
    this.capacity = (parameters.words() - HEADER) / 2;
  }

  @Override
  public int words() {
    return HEADER + 2 * capacity;
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

  private boolean add(long[] pads, int pad, long value) {
    long count = pads[pad + 1];
    if (count == PadWords.MAX_COUNT) {
      return false;
    }
    int size = (int) pads[pad];
    int first = pad + HEADER;
    int place = find(pads, first, size, value);
    if (place < size && pads[first + place] == value) {
      int at = first + capacity + place;
      pads[at] = PadWords.pack(PadWords.gap(pads[at]), PadWords.weight(pads[at]) + 1);
      pads[pad + 1] = count + 1;
      return true;
    }
    if (size == capacity) {
      return false;
    }
    insert(pads, pad, size, place, value);
    pads[pad + 1] = ++count;
    probe(pads, pad, place, parameters.lowLimit(count), value * count);
    return true;
  }

  /** The first that is not below, without unpredictable branches. */
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
    int gap = behind == 0 ? 0 : PadWords.gap(pads[at + capacity + 1]);
    pads[at] = value;
    pads[at + capacity] = PadWords.pack(gap, 1 - gap);
    pads[pad] = size + 1L;
  }

  /** Removes a value and a random one, if the limit allows. */
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
    int next = PadWords.gap(pads[at + 1]);
    long joined = (long) PadWords.gap(pads[at]) + PadWords.weight(pads[at]) + next;
    if (joined > limit) {
      return;
    }
    pads[at + 1] = PadWords.pack((int) joined, PadWords.weight(pads[at + 1]));
    int behind = size - place - 1;
    System.arraycopy(pads, at + 1, pads, at, behind);
    System.arraycopy(pads, at - capacity + 1, pads, at - capacity, behind);
    pads[pad] = size - 1L;
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    PadWords.load(pads, at + HEADER, capacity, (int) pads[at], pads[at + 1], scratch);
    SummaryBytes.write(scratch, sink);
  }
}
