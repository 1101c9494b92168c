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
 * Expressions of one query that are evaluated in turn over the same rows: each column is read once
 * for all of them, and who began a flow, or what else follows from its columns, is found out once.
 * Not thread-safe.
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
    Compiler compiler = new Compiler(given, this);
    // A column alone is read to where it is wanted.
    return CompiledExpression.of(
        bound instanceof Expression.Column ? compiler.made(bound) : compiler.value(bound));
  }

  /** A condition, without parameters as {@link #add}. */
  TruthNode condition(Expression bound) {
    return new Compiler(given, this).truth(bound);
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
    if (!(expression instanceof Expression.Derived || expression instanceof Expression.Column)) {
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
      out.copy(values(rows, from, count, out), count);
    }

    @Override
    public Vector values(FlowRows rows, int from, int count, Vector own) {
      if (stretch == 0 || !shared.is(stretch, from, count)) {
        shared.set(0, 0, 0); // if evaluation fails, no values are known
        shared.node.evaluate(rows, from, count, shared.vector);
        shared.set(stretch, from, count);
      }
      return shared.vector;
    }

    @Override
    public boolean keepsValues() {
      return true;
    }
  }
}
