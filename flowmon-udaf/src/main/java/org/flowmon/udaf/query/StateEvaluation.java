package org.flowmon.udaf.query;

import java.util.List;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Value;

/**
 * Evaluates a function of states in some columns, row by row. It belongs to one thread, and caches
 * the states of the previous row.
 */
public interface StateEvaluation {
  /** The expressions whose values it takes: texts of states. */
  List<Expression> inputs();

  /**
   * The value of a row.
   *
   * @param states by input: the text of its state; null is a state without rows
   * @throws QueryException if a text is no such state
   */
  Value of(String[] states);
}
