package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.vector.Truth;

/** A part of a compiled expression that is TRUE, FALSE or NULL for each row. */
public abstract class TruthNode {
  /** Sets the bits of the first {@code count} rows; bits past them are 0. */
  public abstract void evaluate(FlowRows rows, int from, int count, Truth out);
}
