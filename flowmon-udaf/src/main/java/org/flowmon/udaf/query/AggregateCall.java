package org.flowmon.udaf.query;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * An aggregate over a group's rows: one argument, none for {@code COUNT(*)}, several for {@code
 * COUNT(DISTINCT …)}; for a {@linkplain AggregateFunction#STATE state} all of its function, also
 * constants.
 *
 * @param value taken out of a function's state; null for other aggregates
 */
public record AggregateCall(
    AggregateFunction function, List<Expression> arguments, @Nullable StateValue value)
    implements Expression {
  public AggregateCall {
    arguments = List.copyOf(arguments);
    boolean fits =
        switch (function) {
          case COUNT -> arguments.size() <= 1;
          case COUNT_DISTINCT -> !arguments.isEmpty();
          case STATE -> true;
          default -> arguments.size() == 1;
        };
    if (!fits || (value != null) != (function == AggregateFunction.STATE)) {
      throw new IllegalArgumentException(function + " of " + arguments.size() + " arguments");
    }
  }

  public AggregateCall(AggregateFunction function, List<Expression> arguments) {
    this(function, arguments, null);
  }

  public AggregateCall(List<Expression> arguments, StateValue value) {
    this(AggregateFunction.STATE, arguments, value);
  }

  public AggregateCall(AggregateFunction function, Expression argument) {
    this(function, List.of(argument));
  }

  /** The arguments of a state's function as for rows, also if states are merged. */
  public List<Expression> callArguments() {
    StateType merged = state().merged();
    return merged == null ? arguments : merged.arguments();
  }

  /** The first argument: {@code COUNT(*)} has none. */
  public Expression argument() {
    return arguments.get(0);
  }

  /** The value of a {@linkplain #isState state}. */
  public StateValue state() {
    return Objects.requireNonNull(value, "only a function's call has a state");
  }

  /** The same call for another part of an estimate taken out of a state. */
  public AggregateCall withPart(StateValue.Part part) {
    return new AggregateCall(arguments, state().bound(part));
  }

  public boolean isDistinct() {
    return function == AggregateFunction.COUNT_DISTINCT;
  }

  /** A function's state, or a value taken out of one. */
  public boolean isState() {
    return function == AggregateFunction.STATE;
  }

  @Override
  public @Nullable ValueKind kind() {
    return switch (function) {
      case STATE -> state().kind();
      case COUNT, COUNT_DISTINCT -> ValueKind.LONG;
      case AVG, STDDEV, STDDEV_POP -> ValueKind.DOUBLE;
      case SUM, MIN, MAX -> argument().kind();
    };
  }

  @Override
  public String toString() {
    String all = arguments.stream().map(Object::toString).collect(Collectors.joining(", "));
    if (isState()) {
      return state().text(all);
    }
    return isDistinct()
        ? "COUNT(DISTINCT " + all + ")"
        : function + "(" + (arguments.isEmpty() ? "*" : all) + ")";
  }
}
