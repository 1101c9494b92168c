package org.flowmon.udaf.function;

import org.flowmon.udaf.state.SuperState;

/** An extractor with its parameters, for states of one bound function. Immutable. */
public interface BoundExtractor {
  /** What its answers are, known before there is a state. */
  AnswerType type();

  /**
   * The answer from a state, which stays as it is.
   *
   * @return an {@link Estimate} or, where the type is a list, {@link Items}
   */
  Answer extract(SuperState state);

  /** How far answers of this extractor from this state may be off. */
  ErrorBound bound(SuperState state);
}
