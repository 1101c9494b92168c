package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.vector.Vector;

/** Values that are already computed, whatever the rows. */
public final class GivenNode extends ValueNode {
  private final Vector values;

  public GivenNode(Vector values) {
    super(values.kind());
    this.values = values;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    out.copy(values, count);
  }

  @Override
  public Vector values(FlowRows rows, int from, int count, Vector own) {
    return values;
  }
}
