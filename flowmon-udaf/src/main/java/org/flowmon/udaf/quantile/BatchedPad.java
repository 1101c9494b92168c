package org.flowmon.udaf.quantile;

import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * The low half <i>heavy</i>: a summary of Greenwald and Khanna, compressed as a whole. Values wait
 * beside it until their room is full, are sorted and merged at once; the pad is flushed if the
 * result does not fit without every value that the bound lets go.
 *
 * <pre>
 *   word 0: size | 1: values of the summary's stream | 2: values that wait | {@link PadWords} | room for values that wait
 * </pre>
 */
final class BatchedPad implements SubAggregate {
  private static final int HEADER = 3;

  private final QuantileParameters parameters;
  private final boolean ofDoubles;
  private final int room;
  private final int capacity;
  private final int waitingAt;
  private final long[] batch;
  private final Summary own = Summary.reused();
  private final Summary added = Summary.reused();
  private final Summary merged = Summary.reused();

  BatchedPad(QuantileParameters parameters) {
    this.parameters = parameters;
    this.ofDoubles = parameters.kind() == ValueKind.DOUBLE;
    int words = parameters.words() - HEADER;
    this.room = Math.max(4, words / 5);
    this.capacity = (words - room) / 2;
    this.waitingAt = HEADER + 2 * capacity;
    this.batch = new long[room];
  }

  @Override
  public int words() {
    return waitingAt + room;
  }

  @Override
  public void initialize(long[] pads, int at) {
    pads[at] = 0;
    pads[at + 1] = 0;
    pads[at + 2] = 0;
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
        int at = places[r] + word;
        int waiting = (int) pads[at + 2];
        if (waiting == room) {
          if (!absorb(pads, at)) {
            return r;
          }
          waiting = 0;
        }
        pads[at + waitingAt + waiting] = ofDoubles ? Words.ofDouble(values[i]) : values[i];
        pads[at + 2] = waiting + 1L;
      }
    }
    return to;
  }

  /** Of waiting values; false, without a change, if they do not fit. */
  private boolean absorb(long[] pads, int at) {
    merge(pads, at);
    if (merged.count > PadWords.MAX_COUNT) {
      return false;
    }
    if (merged.size > capacity) {
      merged.compress(capacity / 2, parameters.lowLimit(merged.count));
      if (merged.size > capacity) {
        return false;
      }
    }
    PadWords.store(merged, pads, at + HEADER, capacity);
    pads[at] = merged.size;
    pads[at + 1] = merged.count;
    pads[at + 2] = 0;
    return true;
  }

  private void merge(long[] pads, int at) {
    int waiting = (int) pads[at + 2];
    System.arraycopy(pads, at + waitingAt, batch, 0, waiting);
    added.setValues(batch, waiting);
    PadWords.load(pads, at + HEADER, capacity, (int) pads[at], pads[at + 1], own);
    merged.setMerged(own, added);
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    merge(pads, at);
    SummaryBytes.write(merged, sink);
  }
}
