package org.flowmon.udaf.function;

import java.util.List;
import org.flowmon.udaf.value.ValueKind;

/**
 * The type of an extractor's answers.
 *
 * @param key kinds of the values that make an item of a list; empty if the answer is one estimate
 * @param value kind of the estimate, or of each item's
 */
public record AnswerType(List<ValueKind> key, ValueKind value) {
  public AnswerType {
    key = List.copyOf(key);
  }

  /** One {@link Estimate} of this kind. */
  public static AnswerType estimate(ValueKind value) {
    return new AnswerType(List.of(), value);
  }

  /** {@link Items} that are made of values of these kinds. */
  public static AnswerType items(List<ValueKind> key, ValueKind value) {
    return new AnswerType(key, value);
  }

  public boolean isList() {
    return !key.isEmpty();
  }
}
