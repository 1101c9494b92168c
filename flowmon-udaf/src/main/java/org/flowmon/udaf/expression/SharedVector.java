package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.node.ValueNode;
import org.flowmon.udaf.vector.KnownRows;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * A shared expression of {@link SharedExpressions} with its last values: of a batch's rows and,
 * apart, of rows that were chosen among them. Not thread-safe.
 */
public final class SharedVector {
  private final ValueNode node;
  private final Held ofBatch;
  private @Nullable Held ofChosen;

  private static final class Held {
    private final Vector vector;
    private final KnownRows stretch = new KnownRows();

    private Held(Vector vector) {
      this.vector = vector;
    }
  }

  SharedVector(ValueNode node) {
    this.node = node;
    this.ofBatch = new Held(new Vector(node.kind()));
  }

  /**
   * Evaluates at most {@link Vector#CAPACITY} rows from {@code from} on, unless that is done. The
   * values are read-only, valid until other rows, of a batch or chosen as these, are evaluated.
   */
  public Vector values(FlowRows rows, int from, int count) {
    Held held = rows instanceof FlowBatch ? ofBatch : ofChosen();
    if (!held.stretch.is(rows, from, count)) {
      held.stretch.clear(); // if evaluation fails, no result is valid
      node.evaluate(rows, from, count, held.vector);
      held.stretch.set(rows, from, count);
    }
    return held.vector;
  }

  private Held ofChosen() {
    if (ofChosen == null) {
      ofChosen = new Held(new Vector(node.kind()));
    }
    return ofChosen;
  }

  /** The same values as a part of another expression. */
  static final class Part extends ValueNode {
    private final SharedVector shared;

    Part(SharedVector shared) {
      super(shared.node.kind());
      this.shared = shared;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Vector out) {
      out.copy(shared.values(rows, from, count), count);
    }

    @Override
    public Vector values(FlowRows rows, int from, int count, Vector own) {
      return shared.values(rows, from, count);
    }

    @Override
    public boolean keepsValues() {
      return true;
    }
  }
}
