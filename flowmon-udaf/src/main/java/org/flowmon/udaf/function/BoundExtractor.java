package org.flowmon.udaf.function;

import org.flowmon.udaf.state.SuperState;

/** An extractor with its parameters, for states of one bound function. Immutable. */
public interface BoundExtractor {
  /** Known before there is a state. */
  AnswerType type();

  /**
   * An {@link Estimate} or, if the type is a list, {@link Items}; the state is unchanged. Without a
   * value {@link Estimate#NULL}; null counts as that.
   */
  Answer extract(SuperState state);

  ErrorBound bound(SuperState state);
}
