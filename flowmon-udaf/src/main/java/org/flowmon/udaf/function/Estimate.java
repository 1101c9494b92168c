package org.flowmon.udaf.function;

import org.flowmon.udaf.value.Value;

/**
 * A value with inclusive bounds of the true value, which hold with the probability of the {@link
 * ErrorBound}. All three are of one kind, or all NULL if the state has no value.
 */
public record Estimate(Value lower, Value value, Value upper) implements Answer {
  /** The estimate of a state without a value. */
  public static final Estimate NULL = new Estimate(Value.NULL, Value.NULL, Value.NULL);

  /** A value that is exact. */
  public static Estimate exact(Value value) {
    return new Estimate(value, value, value);
  }

  public boolean isNull() {
    return value.isNull();
  }

  /** Whether the bounds leave no other value. */
  public boolean isExact() {
    return lower.equals(upper);
  }
}
