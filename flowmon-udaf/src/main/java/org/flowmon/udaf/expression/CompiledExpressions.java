package org.flowmon.udaf.expression;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.node.TruthNode;
import org.flowmon.udaf.node.ValueNode;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.vector.Vector;

/**
 * Expressions of one query that are evaluated in turn over the same rows: who began a flow, and
 * what else follows from its columns, is found out once for all of them. Not thread-safe.
 */
public final class CompiledExpressions implements Sharing {
  private final Map<Expression, Vector> given;
  private final Map<Expression, Once> once = new HashMap<>();
  private long stretch;

  /** {@code given} will hold the values of keys and aggregates; empty over flows. */
  public CompiledExpressions(Map<Expression, Vector> given) {
    this.given = given;
  }

  /** Without parameters, else a {@link org.flowmon.udaf.text.QueryException} names one. */
  public CompiledExpression add(Expression bound) {
    return CompiledExpression.of(new Compiler(given, this).value(bound));
  }

  public CompiledExpression[] add(List<Expression> bound) {
    return bound.stream().map(this::add).toArray(CompiledExpression[]::new);
  }

  /** Other rows come: to be called before the first expression is evaluated over them. */
  public void next() {
    stretch++;
  }

  @Override
  public ValueNode part(Expression expression, Supplier<ValueNode> made) {
    if (!(expression instanceof Expression.Derived)) {
      return made.get();
    }
    Once known = once.get(expression);
    if (known == null) {
      known = new Once(made.get());
      once.put(expression, known);
    }
    return new Part(known);
  }

  @Override
  public TruthNode condition(Expression expression, Supplier<TruthNode> made) {
    return made.get();
  }

  /** A value with those of the last rows. */
  private static final class Once {
    final ValueNode node;
    final Vector vector;
    private long stretch;
    private int from;
    private int count;

    Once(ValueNode node) {
      this.node = node;
      this.vector = new Vector(node.kind());
    }

    boolean is(long now, int first, int number) {
      return stretch == now && from == first && count == number;
    }

    void set(long now, int first, int number) {
      stretch = now;
      from = first;
      count = number;
    }
  }

  /** The value as a part of an expression. */
  private final class Part extends ValueNode {
    private final Once shared;

    Part(Once shared) {
      super(shared.vector.kind());
      this.shared = shared;
    }

    @Override
    public void evaluate(FlowRows rows, int from, int count, Vector out) {
      if (stretch == 0 || !shared.is(stretch, from, count)) {
        shared.set(0, 0, 0); // if evaluation fails, no values are known
        shared.node.evaluate(rows, from, count, shared.vector);
        shared.set(stretch, from, count);
      }
      out.copy(shared.vector, count);
    }
  }
}
