package org.flowmon.udaf.quantile;

import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/** Values as 64-bit words in the order of signed numbers ({@code docs/format/states.md}). */
final class Words {
  private Words() {}

  /** The word of a double's bits: both zeros are one, and all NaNs are one above all else. */
  static long ofDouble(long bits) {
    // Adding 0 turns −0 into 0, and doubleToLongBits every NaN into one.
    return Accumulation.sortable(Double.doubleToLongBits(Double.longBitsToDouble(bits) + 0.0));
  }

  static Value value(ValueKind kind, long word) {
    return switch (kind) {
      case LONG -> Value.ofLong(word);
      case DURATION -> Value.ofDuration(word);
      case TIMESTAMP -> Value.ofTimestamp(word);
      case DOUBLE -> Value.ofDouble(Double.longBitsToDouble(Accumulation.sortable(word)));
      default -> throw new IllegalArgumentException("there are no quantiles of " + kind);
    };
  }

  /** The word of a value, which is not NULL and of the kind, or a LONG if the kind is DOUBLE. */
  static long of(ValueKind kind, Value value) {
    return kind == ValueKind.DOUBLE
        ? ofDouble(Double.doubleToRawLongBits(value.asDouble()))
        : value.low();
  }
}
