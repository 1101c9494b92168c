package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.node.ValueNode;
import org.flowmon.udaf.vector.KnownRows;
import org.flowmon.udaf.vector.Vector;

/** A shared expression of {@link SharedExpressions} with its last values. Not thread-safe. */
public final class SharedVector {
  private final ValueNode node;
  private final Vector vector;
  private final KnownRows stretch = new KnownRows();

  SharedVector(ValueNode node) {
    this.node = node;
    this.vector = new Vector(node.kind());
  }

  /** Read-only, valid until another stretch is evaluated. */
  public Vector vector() {
    return vector;
  }

  /** Unless they are there: at most {@link Vector#CAPACITY} rows from {@code from} on. */
  public void evaluate(FlowRows rows, int from, int count) {
    if (!stretch.is(rows, from, count)) {
      stretch.clear(); // if evaluation fails, no result is valid
      node.evaluate(rows, from, count, vector);
      stretch.set(rows, from, count);
    }
  }

  /** The same values as a part of another expression. */
  static final class Part extends ValueNode {
    private final SharedVector shared;

    Part(SharedVector shared) {
      super(shared.vector.kind());
      this.shared = shared;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Vector out) {
      shared.evaluate(rows, from, count);
      out.copy(shared.vector, count);
    }
  }
}
