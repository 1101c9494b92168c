package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.node.TruthNode;
import org.flowmon.udaf.vector.KnownRows;
import org.flowmon.udaf.vector.Truth;
import org.flowmon.udaf.vector.Vector;

/** A condition of several queries: evaluated once for a stretch of rows. */
final class SharedTruthNode extends TruthNode {
  private final TruthNode node;
  private final Truth truth = new Truth();
  private final KnownRows stretch = new KnownRows();

  SharedTruthNode(TruthNode node) {
    this.node = node;
  }

  @Override
  public void evaluate(FlowRows rows, int from, int count, Truth out) {
    if (!stretch.is(rows, from, count)) {
      stretch.clear(); // if evaluation fails, no result is valid
      node.evaluate(rows, from, count, truth);
      stretch.set(rows, from, count);
    }
    System.arraycopy(truth.isTrue, 0, out.isTrue, 0, Vector.WORDS);
    System.arraycopy(truth.isFalse, 0, out.isFalse, 0, Vector.WORDS);
  }
}
