package org.flowmon.udaf.query;

/** The aggregates of the dialect. */
public enum AggregateFunction {
  /** Rows, or rows whose argument is not NULL. */
  COUNT,
  /**
   * Exact sum of whole numbers or durations, beyond 64 bits; NULL where no argument was not NULL.
   */
  SUM,
  MIN,
  MAX,
  /** The exact sum divided by the count, rounded once to a double. */
  AVG
}
