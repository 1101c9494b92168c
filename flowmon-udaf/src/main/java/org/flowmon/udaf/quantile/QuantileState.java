package org.flowmon.udaf.quantile;

import org.flowmon.udaf.state.SuperState;

/** What extractors ask of a state, whichever summary it keeps; values are {@link Words}. */
interface QuantileState extends SuperState {
  /** Values of the stream, exactly. */
  long count();

  /**
   * Finds the value of a rank.
   *
   * @param rank 1 … count
   * @param out gets the least value that the true one may be, one whose rank is near, and the
   *     greatest
   */
  void quantile(long rank, long[] out);

  /**
   * Counts the values that are not above one.
   *
   * @param out gets the least number, an estimate, and the greatest
   */
  void rank(long value, long[] out);

  /** Ranks that an answer may be off. */
  double rankError();

  /** That an answer is within {@link #rankError}. */
  double probability();
}
