package org.flowmon.udaf.query;

import java.util.List;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * A value taken out of a group's state: {@code QUANTILE(QUANTILES(bytes), 0.95)}. The function's
 * arguments are those of the {@link AggregateCall}.
 *
 * @param function in capitals
 * @param extractor in capitals; empty for the state itself
 * @param parameters after the state: constants, or parameters until they are bound
 * @param part the value or one of its bounds
 * @param kind of the value; null while a parameter is open
 * @param isList whether it is a list of items, written as a text; it has no bounds of its own
 * @param merged type of the argument's states, which are merged; null if the function takes rows
 */
public record StateValue(
    String function,
    String extractor,
    List<Expression> parameters,
    Part part,
    @Nullable ValueKind kind,
    boolean isList,
    @Nullable StateType merged) {
  /** A part of an estimate: one of its three values. */
  public enum Part {
    VALUE,
    LOWER,
    UPPER
  }

  public StateValue {
    parameters = List.copyOf(parameters);
  }

  static StateValue ofState(String function) {
    return new StateValue(function, "", List.of(), Part.VALUE, ValueKind.TEXT, false, null);
  }

  static StateValue ofMerged(StateType type) {
    return new StateValue(type.function(), "", List.of(), Part.VALUE, ValueKind.TEXT, false, type);
  }

  public boolean isState() {
    return extractor.isEmpty();
  }

  public StateValue bound(Part other) {
    return new StateValue(function, extractor, parameters, other, kind, isList, merged);
  }

  String text(String arguments) {
    String state = (merged == null ? function : "MERGE") + "(" + arguments + ")";
    if (isState()) {
      return state;
    }
    StringBuilder text = new StringBuilder(extractor).append('(').append(state);
    parameters.forEach(parameter -> text.append(", ").append(parameter));
    text.append(')');
    return part == Part.VALUE ? text.toString() : part + "(" + text + ")";
  }
}
