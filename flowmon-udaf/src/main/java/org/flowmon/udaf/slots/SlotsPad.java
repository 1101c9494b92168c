package org.flowmon.udaf.slots;

import org.flowmon.udaf.state.StateSink;
import org.flowmon.udaf.state.SubAggregate;
import org.flowmon.udaf.vector.Vector;

/** The slots so far, a bit each: one word, which takes any number of rows. */
final class SlotsPad implements SubAggregate {
  private final boolean isDouble;

  SlotsPad(boolean isDouble) {
    this.isDouble = isDouble;
  }

  @Override
  public int words() {
    return 1;
  }

  @Override
  public void initialize(long[] pads, int at) {
    pads[at] = 0;
  }

  @Override
  public int iterate(
      Vector[] arguments, int[] selection, int from, int to, long[] pads, int[] places, int word) {
    Vector values = arguments[0];
    for (int r = from; r < to; r++) {
      int row = selection[r];
      if (values.isValid(row)) {
        pads[places[r] + word] |= bit(values.values()[row]);
      }
    }
    return to;
  }

  /** The bit of a value, 0 if it is in no slot. */
  private long bit(long value) {
    double number = isDouble ? Math.floor(Double.longBitsToDouble(value)) : value;
    return number >= 0 && number < Long.SIZE ? 1L << (int) number : 0; // NaN is in none
  }

  @Override
  public void output(long[] pads, int at, StateSink sink) {
    SlotsState.write(pads[at], sink);
  }
}
