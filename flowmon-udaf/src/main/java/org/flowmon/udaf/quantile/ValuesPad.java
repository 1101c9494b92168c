package org.flowmon.udaf.quantile;

import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * The low halves <i>lite</i> and <i>kll</i>: values in order of arrival, left to the high half.
 *
 * <pre>
 *   word 0: count | values
 * </pre>
 */
final class ValuesPad implements SubAggregate {
  private final boolean ofDoubles;
  private final int capacity;

  ValuesPad(QuantileParameters parameters) {
    this.ofDoubles = parameters.kind() == ValueKind.DOUBLE;
    this.capacity = Math.min(parameters.words() - 1, SummaryBytes.MAX_VALUES);
  }

  @Override
  public int words() {
    return 1 + capacity;
  }

  @Override
  public void initialize(long[] pads, int at) {
    pads[at] = 0;
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
        int count = (int) pads[at];
        if (count == capacity) {
          return r;
        }
        pads[at + 1 + count] = ofDoubles ? Words.ofDouble(values[i]) : values[i];
        pads[at] = count + 1L;
      }
    }
    return to;
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    if (pads[at] > 0) {
      SummaryBytes.writeValues(pads, at + 1, (int) pads[at], sink);
    }
  }
}
