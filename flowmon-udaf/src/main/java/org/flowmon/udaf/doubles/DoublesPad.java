package org.flowmon.udaf.doubles;

import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.vector.Vector;

/**
 * The low half of DOUBLE_SUMS: values in order of arrival, which the high half adds.
 *
 * <pre>
 *   word 0: count | bits of the values
 * </pre>
 */
final class DoublesPad implements SubAggregate {
  private static final int CAPACITY = 31;

  @Override
  public int words() {
    return 1 + CAPACITY;
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
        if (count == CAPACITY) {
          return r;
        }
        pads[at + 1 + count] = values[i];
        pads[at] = count + 1L;
      }
    }
    return to;
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    int count = (int) pads[at];
    if (count > 0) {
      sink.putByte(DoubleSumsState.VALUES);
      for (int i = 1; i <= count; i++) {
        sink.putLong(pads[at + i]);
      }
    }
  }
}
