package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.ValueKind;

/** A part of a compiled expression that gives values. */
abstract class ValueNode {
  private final ValueKind kind;

  ValueNode(ValueKind kind) {
    this.kind = kind;
  }

  final ValueKind kind() {
    return kind;
  }

  /** Fills {@code out[0 … count)}: values, 0 where NULL, and which are NULL. */
  abstract void evaluate(FlowRows rows, int from, int count, Vector out);
}
