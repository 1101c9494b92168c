package org.flowmon.udaf.query;

import org.jspecify.annotations.Nullable;

/** The aggregates of the dialect. */
public enum AggregateFunction {
  /** Of rows, or of those whose argument is not NULL. */
  COUNT,
  /** Of values, or of rows of several arguments, none of them NULL. */
  COUNT_DISTINCT,
  /** Exact, of whole numbers or durations, beyond 64 bits; NULL without values. */
  SUM,
  MIN,
  MAX,
  /** Exact sum by count, rounded once to a double. */
  AVG,
  /** Of a sample (n − 1), from exact sums; NULL for fewer than two values. */
  STDDEV,
  /** Of the population (n), from exact sums. */
  STDDEV_POP,
  /** Of a function called by its own name, or a value taken out of it. */
  STATE;

  /** So of numbers and durations only. */
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
