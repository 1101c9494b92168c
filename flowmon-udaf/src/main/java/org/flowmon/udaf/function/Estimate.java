package org.flowmon.udaf.function;

import org.flowmon.udaf.value.Value;

/**
 * A value and the bounds that the true one lies within, both included, with the probability that
 * the {@link ErrorBound} says. All three are of one kind, or all NULL where the state has no value
 * to give.
 */
public record Estimate(Value lower, Value value, Value upper) implements Answer {
  /** Of a state that has no such value. */
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
