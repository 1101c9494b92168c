package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;

/** A condition as a value: selected, grouped by or given by CASE. */
public final class TruthValueNode extends ValueNode {
  private final TruthNode condition;
  private final Truth truth = new Truth();

  public TruthValueNode(TruthNode condition) {
    super(ValueKind.BOOLEAN);
    this.condition = condition;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    condition.evaluate(rows, from, count, truth);
    for (int w = 0; w < Vector.WORDS; w++) {
      out.validity()[w] = truth.isTrue[w] | truth.isFalse[w];
    }
    for (int i = 0; i < count; i++) {
      out.values()[i] = truth.isTrue[i >>> 6] >>> i & 1;
    }
    out.settleValidity(count);
  }
}
