package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.node.TruthNode;
import org.flowmon.udaf.vector.KnownRows;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;

/**
 * A condition of several queries: evaluated once for a stretch of a batch's rows and, apart, of
 * rows that were chosen among them.
 */
final class SharedTruthNode extends TruthNode {
  private final TruthNode node;
  private final Held ofBatch = new Held();
  private final Held ofChosen = new Held();

  private static final class Held {
    private final Truth truth = new Truth();
    private final KnownRows stretch = new KnownRows();
  }

  SharedTruthNode(TruthNode node) {
    this.node = node;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Truth out) {
    Held held = rows instanceof FlowBatch ? ofBatch : ofChosen;
    if (!held.stretch.is(rows, from, count)) {
      held.stretch.clear(); // if evaluation fails, no result is valid
      node.evaluate(rows, from, count, held.truth);
      held.stretch.set(rows, from, count);
    }
    System.arraycopy(held.truth.isTrue, 0, out.isTrue, 0, Vector.WORDS);
    System.arraycopy(held.truth.isFalse, 0, out.isFalse, 0, Vector.WORDS);
  }
}
