package org.flowmon.udaf.node;

import java.util.Arrays;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.vector.Vector;

/** A constant. */
public final class LiteralNode extends ValueNode {
  private final Value value;

  public LiteralNode(Value value) {
    super(value.kind());
    this.value = value;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    if (value.isNull()) {
      out.setAllNull(count);
      return;
    }
    Arrays.fill(out.values(), 0, count, value.low());
    if (out.high() != null) {
      Arrays.fill(out.high(), 0, count, value.high());
    }
    if (out.texts() != null) {
      Arrays.fill(out.texts(), 0, count, value.text());
    }
    out.setAllValid(count);
  }
}
