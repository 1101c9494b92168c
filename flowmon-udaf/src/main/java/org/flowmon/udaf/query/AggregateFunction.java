package org.flowmon.udaf.query;

import org.jspecify.annotations.Nullable;

/** The aggregates of the dialect. */
public enum AggregateFunction {
  /** Number of rows, or of rows whose argument is not NULL. */
  COUNT,
  /** Of values, or of rows of several arguments, none of them NULL. */
  COUNT_DISTINCT,
  /** Exact sum of whole numbers or durations, beyond 64 bits; NULL if all arguments are NULL. */
  SUM,
  MIN,
  MAX,
  /** The exact sum divided by the count, rounded once to a double. */
  AVG,
  /** Of a sample (n − 1), from exact sums; NULL for fewer than two values. */
  STDDEV,
  /** The standard deviation of the population (divided by n), of exact sums. */
  STDDEV_POP,
  /** The state of a function that is called by its own name, or a value taken out of it. */
  STATE;

  public boolean isOfSums() {
    return switch (this) {
      case SUM, AVG, STDDEV, STDDEV_POP -> true;
      case COUNT, COUNT_DISTINCT, MIN, MAX, STATE -> false;
    };
  }

  public boolean isWritten() {
    return this != COUNT_DISTINCT && this != STATE;
  }

  public static @Nullable AggregateFunction byName(String name) {
    for (AggregateFunction function : values()) {
      if (function.isWritten() && function.name().equals(name)) {
        return function;
      }
    }
    return null;
  }
}
