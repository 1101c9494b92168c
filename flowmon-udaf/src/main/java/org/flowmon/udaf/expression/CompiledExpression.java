package org.flowmon.udaf.expression;

import java.util.Map;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.node.ValueNode;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** Evaluates {@link Vector#CAPACITY} rows without allocation, in own vectors: not thread-safe. */
public final class CompiledExpression {
  private final ValueNode node;

  private CompiledExpression(ValueNode node) {
    this.node = node;
  }

  static CompiledExpression of(ValueNode node) {
    return new CompiledExpression(node);
  }

  /** Without parameters, else a {@link QueryException} names one. */
  public static CompiledExpression of(Expression bound) {
    return of(bound, Map.of());
  }

  /** Over groups: {@code given} will hold the values of keys and aggregates. */
  public static CompiledExpression of(Expression bound, Map<Expression, Vector> given) {
    return new CompiledExpression(new Compiler(given).value(bound));
  }

  /** Null if it is always NULL. */
  public @Nullable ValueKind kind() {
    return node.kind();
  }

  public Vector newVector() {
    return new Vector(kind());
  }

  /** Evaluates an expression over groups for the first values of the given vectors. */
  public void evaluate(int count, Vector out) {
    evaluate(NoRows.NONE, 0, count, out);
  }

  /** From {@code from} on, at most {@link Vector#CAPACITY}, into {@code out[0 … count)}. */
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    if (count > Vector.CAPACITY) {
      throw new IllegalArgumentException(count + " rows in one call, at most " + Vector.CAPACITY);
    }
    node.evaluate(rows, from, count, out);
  }
}
