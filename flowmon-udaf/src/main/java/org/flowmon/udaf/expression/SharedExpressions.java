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
import org.jspecify.annotations.Nullable;

/**
 * Several queries' expressions over the same rows: equal ones, and equal conditions and computed
 * values within them, are evaluated once for a stretch (the same {@link org.flowmon.flow.FlowRows}
 * object, first row and length). Queries gain if they evaluate the same stretch in turn. An
 * expression goes when nobody holds its results any more. Not thread-safe.
 */
public final class SharedExpressions implements Sharing {
  private final Map<Expression, WeakReference<SharedVector>> values = new HashMap<>();
  private final Map<Expression, WeakReference<SharedTruthNode>> truths = new HashMap<>();
  private final Map<Expression, WeakReference<SharedSelection>> filters = new HashMap<>();
  private @Nullable SharedSelection all;

  /** Without parameters, else a {@link QueryException} names one. */
  public SharedVector value(Expression bound) {
    return shared(values, bound, () -> new SharedVector(compiler().made(bound)));
  }

  /** Without parameters, else a {@link QueryException} names one; null keeps every row. */
  public SharedSelection filter(@Nullable Expression bound) {
    if (bound == null) {
      all = all == null ? new SharedSelection(CompiledPredicate.of((Expression) null)) : all;
      return all;
    }
    return shared(
        filters, bound, () -> new SharedSelection(CompiledPredicate.of(compiler().truth(bound))));
  }

  private Compiler compiler() {
    return new Compiler(Map.of(), this);
  }

  /** Shares a part of an expression, except a constant. */
  @Override
  public ValueNode part(Expression expression, Supplier<ValueNode> made) {
    if (expression instanceof Expression.Literal) {
      return made.get();
    }
    return new SharedVector.Part(shared(values, expression, () -> new SharedVector(made.get())));
  }

  @Override
  public TruthNode condition(Expression expression, Supplier<TruthNode> made) {
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
