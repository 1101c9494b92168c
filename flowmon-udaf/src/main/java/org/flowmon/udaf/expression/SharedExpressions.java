package org.flowmon.udaf.expression;

import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Supplier;
import org.flowmon.udaf.node.TruthNode;
import org.flowmon.udaf.node.ValueNode;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ValueKind;

/**
 * The expressions of several queries that see the same rows: equal ones, and equal conditions and
 * computed values within them, are evaluated once for a stretch of rows, however many queries ask.
 *
 * <p>A stretch is the same where it is of the same {@link org.flowmon.flow.FlowRows} object, from
 * the same row, of the same length; queries gain where one after the other they ask of the same. An
 * expression is forgotten once nobody holds what was made of it. Not thread-safe.
 */
public final class SharedExpressions {
  private final Map<Expression, WeakReference<SharedVector>> values = new HashMap<>();
  private final Map<Expression, WeakReference<SharedTruthNode>> truths = new HashMap<>();
  private final Map<Expression, WeakReference<SharedSelection>> filters = new HashMap<>();
  private SharedSelection all;

  /**
   * An expression.
   *
   * @param bound without parameters
   * @throws QueryException naming a parameter that is still in it
   */
  public SharedVector value(Expression bound) {
    return shared(values, bound, () -> new SharedVector(compiler().made(bound)));
  }

  /**
   * A filter.
   *
   * @param bound a condition without parameters; null keeps every row
   * @throws QueryException naming a parameter that is still in it
   */
  public SharedSelection filter(Expression bound) {
    if (bound == null) {
      all = all == null ? new SharedSelection(CompiledPredicate.of((Expression) null)) : all;
      return all;
    }
    return shared(
        filters, bound, () -> new SharedSelection(CompiledPredicate.of(compiler().truth(bound))));
  }

  /** Expressions of different text that are held now. */
  int size() {
    forgetUnheld(values);
    forgetUnheld(truths);
    forgetUnheld(filters);
    return values.size() + truths.size() + filters.size();
  }

  private Compiler compiler() {
    return new Compiler(Map.of(), this);
  }

  /** A part of an expression; a column is read as fast as its values are copied. */
  ValueNode part(Expression expression, Supplier<ValueNode> made) {
    if (expression instanceof Expression.Column || expression instanceof Expression.Literal) {
      return made.get();
    }
    return new SharedVector.Part(shared(values, expression, () -> new SharedVector(made.get())));
  }

  /** Likewise, a condition. */
  TruthNode condition(Expression expression, Supplier<TruthNode> made) {
    if (expression instanceof Expression.Literal || expression.kind() != ValueKind.BOOLEAN) {
      return made.get();
    }
    return shared(truths, expression, () -> new SharedTruthNode(made.get()));
  }

  private static <T> T shared(
      Map<Expression, WeakReference<T>> known, Expression expression, Supplier<T> made) {
    WeakReference<T> reference = known.get(expression);
    T held = reference == null ? null : reference.get();
    if (held == null) {
      held = Objects.requireNonNull(made.get());
      forgetUnheld(known);
      known.put(expression, new WeakReference<>(held));
    }
    return held;
  }

  private static <T> void forgetUnheld(Map<Expression, WeakReference<T>> known) {
    known.values().removeIf(reference -> reference.refersTo(null));
  }
}
