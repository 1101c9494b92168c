package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;

/** SAME_HOUR: the hour, or another length, beginning at now, on each of the previous days. */
public final class SameHourNode extends TruthNode {
  private final ValueNode.Operand timeOperand;
  private final ValueNode.Operand nowOperand;
  private final long reach;
  private final long length;
  private final long[] matches = new long[Vector.WORDS];
  private final long[] known = new long[Vector.WORDS];

  public SameHourNode(ValueNode time, ValueNode now, int days, long length) {
    this.timeOperand = new ValueNode.Operand(time);
    this.nowOperand = new ValueNode.Operand(now);
    this.reach = days * TimeNodes.DAY;
    this.length = length;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Truth out) {
    Vector time = timeOperand.values(rows, from, count);
    Vector now = nowOperand.values(rows, from, count);
    for (int w = 0; w < Vector.WORDS; w++) {
      matches[w] = 0;
      known[w] = time.validity()[w] & now.validity()[w];
    }
    for (int i = 0; i < count; i++) {
      long t = time.values()[i];
      // Distance before now: in (24 h · i − length, 24 h · i] for an i of 1 … days.
      long before = now.values()[i] - t;
      boolean match =
          t < now.values()[i]
              && before > 0
              && before <= reach
              && Math.floorMod(-before, TimeNodes.DAY) < length;
      matches[i >>> 6] |= (match ? 1L : 0L) << i;
    }
    out.of(matches, known);
  }
}
