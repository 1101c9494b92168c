package org.flowmon.udaf.expression;

import java.util.Map;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.node.ValueNode;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * An expression compiled for evaluation over rows, up to {@link Vector#CAPACITY} at a time, without
 * allocation. Not thread-safe: it owns the vectors between its parts.
 */
public final class CompiledExpression {
  private final ValueNode node;

  private CompiledExpression(ValueNode node) {
    this.node = node;
  }

  /**
   * Compiles an expression.
   *
   * @param bound without parameters
   * @throws QueryException naming a remaining parameter
   */
  public static CompiledExpression of(Expression bound) {
    return of(bound, Map.of());
  }

  /**
   * Compiles an expression over groups.
   *
   * @param bound without parameters
   * @param given vectors that hold the values of its keys and aggregates at evaluation
   * @throws QueryException naming a remaining parameter
   */
  public static CompiledExpression of(Expression bound, Map<Expression, Vector> given) {
    return new CompiledExpression(new Compiler(given).value(bound));
  }

  /** The kind of its values; null if it is always NULL. */
  public @Nullable ValueKind kind() {
    return node.kind();
  }

  /** Makes a vector for results. */
  public Vector newVector() {
    return new Vector(kind());
  }

  /** Evaluates an expression over groups for the first values of the given vectors. */
  public void evaluate(int count, Vector out) {
    evaluate(NoRows.NONE, 0, count, out);
  }

  /**
   * Evaluates rows {@code from … from + count − 1} into {@code out[0 … count)}.
   *
   * @param count at most {@link Vector#CAPACITY}
   */
  public void evaluate(FlowRows rows, int from, int count, Vector out) {
    if (count > Vector.CAPACITY) {
      throw new IllegalArgumentException(count + " rows in one call, at most " + Vector.CAPACITY);
    }
    node.evaluate(rows, from, count, out);
  }
}
