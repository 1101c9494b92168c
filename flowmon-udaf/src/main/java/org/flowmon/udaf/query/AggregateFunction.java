package org.flowmon.udaf.query;

/** The aggregates of the dialect. */
public enum AggregateFunction {
  /** Rows, or rows whose argument is not NULL. */
  COUNT,
  /**
   * Different values of an argument, or different rows of several arguments, none of them NULL:
   * written {@code COUNT(DISTINCT a, b)}.
   */
  COUNT_DISTINCT,
  /**
   * Exact sum of whole numbers or durations, beyond 64 bits; NULL where no argument was not NULL.
   */
  SUM,
  MIN,
  MAX,
  /** The exact sum divided by the count, rounded once to a double. */
  AVG,
  /**
   * The standard deviation of a sample (divided by n − 1), of exact sums; NULL where there are
   * fewer than two values.
   */
  STDDEV,
  /** The standard deviation of all there is (divided by n), of exact sums. */
  STDDEV_POP,
  /** The state of a function that is called by its own name, or what is taken out of it. */
  STATE;

  /** Whether it is of sums, and so of whole numbers only. */
  public boolean isOfSums() {
    return switch (this) {
      case SUM, AVG, STDDEV, STDDEV_POP -> true;
      case COUNT, COUNT_DISTINCT, MIN, MAX, STATE -> false;
    };
  }

  /** Whether its name is written in queries. */
  public boolean isWritten() {
    return this != COUNT_DISTINCT && this != STATE;
  }

  /** The function that a name calls, null where it calls none. */
  public static AggregateFunction byName(String name) {
    for (AggregateFunction function : values()) {
      if (function.isWritten() && function.name().equals(name)) {
        return function;
      }
    }
    return null;
  }
}
