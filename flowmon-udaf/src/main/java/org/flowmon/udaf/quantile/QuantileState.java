package org.flowmon.udaf.quantile;

import org.flowmon.udaf.state.SuperState;

/** A state as extractors read it, whichever summary it keeps; values are {@link Words}. */
interface QuantileState extends SuperState {
  /** The number of values of the stream, exact. */
  long count();

  /** Of rank 1 … count: a lower bound of the true value, a near rank's, and an upper bound. */
  void quantile(long rank, long[] out);

  /** Values at or below: the least number, an estimate, and the greatest. */
  void rank(long value, long[] out);

  /** The most that an answer is off. */
  double rankError();

  /** The probability that an answer is within {@link #rankError}. */
  double probability();
}
