package org.flowmon.udaf.quantile;

import org.flowmon.udaf.state.SuperState;

/** A state as extractors read it, whichever summary it keeps; values are {@link Words}. */
interface QuantileState extends SuperState {
  /** The number of values of the stream, exact. */
  long count();

  /**
   * Finds the value of a rank.
   *
   * @param rank 1 … count
   * @param out receives a lower bound of the true value, a value of a near rank, and an upper bound
   */
  void quantile(long rank, long[] out);

  /**
   * Counts the values at or below a value.
   *
   * @param out receives the least number, an estimate, and the greatest
   */
  void rank(long value, long[] out);

  /** The most ranks that an answer is off. */
  double rankError();

  /** The probability that an answer is within {@link #rankError}. */
  double probability();
}
