package org.flowmon.udaf.constraint;

import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.ArithmeticOperator;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/** Folds constant expressions, so that a time written as arithmetic is known as a time. */
public final class ConstantFolding {
  private ConstantFolding() {}

  /**
   * Folds arithmetic and TIME_BUCKET over constants alone, as {@code TIME_BUCKET(:now - INTERVAL
   * '7' DAY, INTERVAL '1' HOUR)} after binding; all else, and NULLs, stay.
   */
  public static Expression of(Expression expression) {
    if (expression instanceof TimeBucket bucket) {
      return bucket(bucket);
    }
    if (!(expression instanceof Arithmetic arithmetic)
        || !(of(arithmetic.left()) instanceof Literal left)
        || !(of(arithmetic.right()) instanceof Literal right)
        || left.value().isNull()
        || right.value().isNull()) {
      return expression;
    }
    Long value = value(arithmetic.operator(), left.value().low(), right.value().low());
    if (value == null || arithmetic.kind() == null) {
      return expression;
    }
    return switch (arithmetic.kind()) {
      case LONG -> new Literal(Value.ofLong(value));
      case TIMESTAMP -> new Literal(Value.ofTimestamp(value));
      case DURATION -> new Literal(Value.ofDuration(value));
      default -> expression;
    };
  }

  private static Expression bucket(TimeBucket bucket) {
    if (!(of(bucket.time()) instanceof Literal time) || time.value().isNull()) {
      return bucket;
    }
    long micros = time.value().low();
    long into = Math.floorMod(micros, bucket.widthMicros());
    return micros < Long.MIN_VALUE + into
        ? bucket // unfolded: there is no value
        : new Literal(Value.ofTimestamp(micros - into));
  }

  private static @Nullable Long value(ArithmeticOperator operator, long left, long right) {
    try {
      return switch (operator) {
        case ADD -> Math.addExact(left, right);
        case SUBTRACT -> Math.subtractExact(left, right);
        case MULTIPLY -> Math.multiplyExact(left, right);
        default -> null;
      };
    } catch (ArithmeticException e) {
      return null;
    }
  }
}
