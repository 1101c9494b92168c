package org.flowmon.udaf.query;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Expression.OfStates;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * A function and its call: columns of states carry it, so that queries know merges and extractors.
 *
 * @param function its name, in capitals
 * @param isOpen whether a parameter has no value yet: then nothing is known of the arguments
 * @param arguments with all parameters: a {@link Literal} is a constant, of others only the kind
 *     counts
 */
public record StateType(String function, boolean isOpen, List<Expression> arguments) {
  public StateType {
    arguments = List.copyOf(arguments);
  }

  public StateType(String function, List<Expression> arguments) {
    this(function, false, arguments);
  }

  static StateType open(String function) {
    return new StateType(function, true, List.of());
  }

  public static Expression ofRows(@Nullable ValueKind kind) {
    return new Named("row", kind);
  }

  /** Of an expression that gives states. */
  public static StateType required(Expression states) {
    return Objects.requireNonNull(of(states), () -> states + " gives no states");
  }

  /** Null if it gives none. */
  public static @Nullable StateType of(Expression expression) {
    if (expression instanceof Named column) {
      return column.states();
    } else if (expression instanceof OfStates call) {
      return call.states();
    } else if (expression instanceof AggregateCall call && call.isState()) {
      return call.state().isState() ? ofState(call) : null;
    } else if (expression instanceof Case choice) {
      return ofChoice(choice);
    }
    return null;
  }

  private static @Nullable StateType ofState(AggregateCall call) {
    if (call.state().merged() != null) {
      return call.state().merged();
    }
    return Binder.hasParameter(call)
        ? StateType.open(call.state().function())
        : Functions.catalogue().states(call.state().function(), call.arguments());
  }

  /** If it is the same in all non-NULL branches. */
  private static @Nullable StateType ofChoice(Case choice) {
    StateType common = isNull(choice.otherwise()) ? null : of(choice.otherwise());
    if (common == null && !isNull(choice.otherwise())) {
      return null;
    }
    for (Expression.When when : choice.whens()) {
      if (isNull(when.result())) {
        continue;
      }
      StateType next = of(when.result());
      if (next == null || (common != null && !common.mergesWith(next))) {
        return null;
      }
      common = common == null || common.isOpen ? next : common;
    }
    return common;
  }

  private static boolean isNull(Expression expression) {
    return expression instanceof Literal literal && literal.value().isNull();
  }

  /** Whether states of both can be merged, as far as known. */
  boolean mergesWith(StateType other) {
    return (isOpen || other.isOpen)
        ? function.equals(other.function)
        : Functions.catalogue().canMerge(this, other);
  }

  /** {@code QUANTILES(LONG, 0.01, 'lite', 64)}. */
  @Override
  public String toString() {
    if (isOpen) {
      return function + "(\u2026)";
    }
    return arguments.stream()
        .map(one -> one instanceof Literal ? one.toString() : String.valueOf(one.kind()))
        .collect(Collectors.joining(", ", function + "(", ")"));
  }
}
