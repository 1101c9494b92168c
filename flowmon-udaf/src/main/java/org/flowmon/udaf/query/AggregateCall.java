package org.flowmon.udaf.query;

import java.util.List;
import java.util.stream.Collectors;

/**
 * An aggregate over the rows of a group; its arguments are expressions over rows.
 *
 * @param arguments one, but none of {@code COUNT(*)} and one or more of {@code COUNT(DISTINCT …)}
 */
public record AggregateCall(AggregateFunction function, List<Expression> arguments)
    implements Expression {
  public AggregateCall {
    arguments = List.copyOf(arguments);
    boolean fits =
        switch (function) {
          case COUNT -> arguments.size() <= 1;
          case COUNT_DISTINCT -> !arguments.isEmpty();
          default -> arguments.size() == 1;
        };
    if (!fits) {
      throw new IllegalArgumentException(function + " of " + arguments.size() + " arguments");
    }
  }

  /**
   * A call with one argument, or without.
   *
   * @param argument null for {@code COUNT(*)}
   */
  public AggregateCall(AggregateFunction function, Expression argument) {
    this(function, argument == null ? List.of() : List.of(argument));
  }

  /** The argument, null for {@code COUNT(*)}; the first of {@code COUNT(DISTINCT …)}. */
  public Expression argument() {
    return arguments.isEmpty() ? null : arguments.get(0);
  }

  /** Whether it is {@code COUNT(DISTINCT …)}. */
  public boolean isDistinct() {
    return function == AggregateFunction.COUNT_DISTINCT;
  }

  @Override
  public ValueKind kind() {
    return switch (function) {
      case COUNT, COUNT_DISTINCT -> ValueKind.LONG;
      case AVG, STDDEV, STDDEV_POP -> ValueKind.DOUBLE;
      case SUM, MIN, MAX -> argument().kind();
    };
  }

  @Override
  public String toString() {
    String all = arguments.stream().map(Object::toString).collect(Collectors.joining(", "));
    return isDistinct()
        ? "COUNT(DISTINCT " + all + ")"
        : function + "(" + (arguments.isEmpty() ? "*" : all) + ")";
  }
}
