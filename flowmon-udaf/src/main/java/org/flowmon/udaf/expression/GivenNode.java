package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowRows;

/** Values that are there already, whatever the rows. */
final class GivenNode extends ValueNode {
  private final Vector values;

  GivenNode(Vector values) {
    super(values.kind());
    this.values = values;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    out.copy(values, count);
  }
}
