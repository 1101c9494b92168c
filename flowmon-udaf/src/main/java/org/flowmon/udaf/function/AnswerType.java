package org.flowmon.udaf.function;

import java.util.List;
import org.flowmon.udaf.value.ValueKind;

/** The kinds of an item's values (empty for one estimate) and of its estimate. */
public record AnswerType(List<ValueKind> key, ValueKind value) {
  public AnswerType {
    key = List.copyOf(key);
  }

  public static AnswerType estimate(ValueKind value) {
    return new AnswerType(List.of(), value);
  }

  public static AnswerType items(List<ValueKind> key, ValueKind value) {
    return new AnswerType(key, value);
  }

  public boolean isList() {
    return !key.isEmpty();
  }
}
