package org.flowmon.udaf.function;

import org.flowmon.udaf.value.Value;

/**
 * A value with inclusive bounds of the true one, which hold with the {@link ErrorBound}'s
 * probability. All are of one kind, or NULL if the state has no value.
 */
public record Estimate(Value lower, Value value, Value upper) implements Answer {
  public static final Estimate NULL = new Estimate(Value.NULL, Value.NULL, Value.NULL);

  public static Estimate exact(Value value) {
    return new Estimate(value, value, value);
  }

  public boolean isExact() {
    return lower.equals(upper);
  }
}
