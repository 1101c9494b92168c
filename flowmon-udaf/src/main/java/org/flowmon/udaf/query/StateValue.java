package org.flowmon.udaf.query;

import java.util.List;
import org.flowmon.udaf.value.ValueKind;

/**
 * What a query takes out of the state that an aggregate function keeps of a group: {@code
 * QUANTILE(QUANTILES(bytes), 0.95)}. The arguments of the function are those of the {@link
 * AggregateCall}.
 *
 * @param function name of the function, in capitals
 * @param extractor name of what takes the value, in capitals; null for the state itself
 * @param parameters the extractor's arguments behind the state: constants, or parameters until they
 *     are bound
 * @param part which of the value and its bounds
 * @param kind of the value; null while a parameter is open
 * @param isList whether it is a list of items, written as a text; a list has no bounds of its own
 * @param merged what the states are of that the one argument gives, which are merged; null where
 *     the function takes rows
 */
public record StateValue(
    String function,
    String extractor,
    List<Expression> parameters,
    Part part,
    ValueKind kind,
    boolean isList,
    StateType merged) {
  /** Which of an estimate's three values. */
  public enum Part {
    /** The value itself. */
    VALUE,
    /** The lower bound of the true value. */
    LOWER,
    /** The upper bound of the true value. */
    UPPER
  }

  public StateValue {
    parameters = List.copyOf(parameters);
  }

  /** The state of a function itself. */
  static StateValue ofState(String function) {
    return new StateValue(function, null, List.of(), Part.VALUE, ValueKind.TEXT, false, null);
  }

  /** The state that others are merged into. */
  static StateValue ofMerged(StateType type) {
    return new StateValue(
        type.function(), null, List.of(), Part.VALUE, ValueKind.TEXT, false, type);
  }

  /** Whether it is the state itself. */
  public boolean isState() {
    return extractor == null;
  }

  public StateValue bound(Part other) {
    return new StateValue(function, extractor, parameters, other, kind, isList, merged);
  }

  /** The text of the call in the dialect. */
  String text(String arguments) {
    String state = (merged == null ? function : "MERGE") + "(" + arguments + ")";
    if (extractor == null) {
      return state;
    }
    StringBuilder text = new StringBuilder(extractor).append('(').append(state);
    parameters.forEach(parameter -> text.append(", ").append(parameter));
    text.append(')');
    return part == Part.VALUE ? text.toString() : part + "(" + text + ")";
  }
}
