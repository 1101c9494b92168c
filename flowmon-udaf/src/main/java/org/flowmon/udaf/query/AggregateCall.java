package org.flowmon.udaf.query;

/**
 * An aggregate over the rows of a group.
 *
 * @param argument null for {@code COUNT(*)}
 */
public record AggregateCall(AggregateFunction function, Expression argument) implements Selected {
  public AggregateCall {
    if (argument == null && function != AggregateFunction.COUNT) {
      throw new IllegalArgumentException(function + " needs an argument");
    }
  }

  @Override
  public ValueKind kind() {
    return switch (function) {
      case COUNT -> ValueKind.LONG;
      case AVG, STDDEV, STDDEV_POP -> ValueKind.DOUBLE;
      case SUM, MIN, MAX -> argument.kind();
    };
  }

  @Override
  public String toString() {
    return function + "(" + (argument == null ? "*" : argument) + ")";
  }
}
