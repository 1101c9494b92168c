package org.flowmon.udaf.node;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** A part of a compiled expression that gives values. */
public abstract class ValueNode {
  private final @Nullable ValueKind kind;

  protected ValueNode(@Nullable ValueKind kind) {
    this.kind = kind;
  }

  /** Null if all are NULL. */
  public final @Nullable ValueKind kind() {
    return kind;
  }

  /** Fills {@code out[0 … count)}: the values, 0 if NULL, and the NULL mask. */
  public abstract void evaluate(FlowRows rows, int from, int count, Vector out);

  /** The values, read-only until the next evaluation: in {@code own}, or where they are already. */
  public Vector values(FlowRows rows, int from, int count, Vector own) {
    evaluate(rows, from, count, own);
    return own;
  }
}
