package org.flowmon.udaf.expression;

import java.util.function.Supplier;
import org.flowmon.udaf.node.TruthNode;
import org.flowmon.udaf.node.ValueNode;
import org.flowmon.udaf.query.Expression;

/** Decides which parts of expressions are evaluated once for several. */
interface Sharing {
  /** The node of a value: made, or one that takes the values of an equal part. */
  ValueNode part(Expression expression, Supplier<ValueNode> made);

  TruthNode condition(Expression expression, Supplier<TruthNode> made);
}
