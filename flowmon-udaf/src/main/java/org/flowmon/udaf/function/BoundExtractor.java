package org.flowmon.udaf.function;

import org.flowmon.udaf.state.SuperState;

/** An extractor with its parameters, for states of one bound function. Immutable. */
public interface BoundExtractor {
  /** The type of its answers, known before there is a state. */
  AnswerType type();

  /**
   * Extracts the answer from a state, which stays unchanged.
   *
   * @return an {@link Estimate} or, if the type is a list, {@link Items}
   */
  Answer extract(SuperState state);

  /** The error bound of answers of this extractor from this state. */
  ErrorBound bound(SuperState state);
}
