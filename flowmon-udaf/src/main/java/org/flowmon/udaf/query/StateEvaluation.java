package org.flowmon.udaf.query;

import java.util.List;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * A function of states in columns, row by row, on one thread; it caches the previous row's states.
 */
public interface StateEvaluation {
  /** The expressions whose values it takes: texts of states. */
  List<Expression> inputs();

  /** By input, null without rows; {@link QueryException} if a text is no such state. */
  Value of(@Nullable String[] states);
}
