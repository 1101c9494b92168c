package org.flowmon.archive.query.filter;

import java.util.List;
import java.util.Optional;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.udaf.constraint.ConstantFolding;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.ValueKind;

/**
 * The exact times, not NULL, for which a condition on {@code end_time} alone is TRUE. Constraints
 * are only necessary conditions: they leave rows out, but cannot take all rows of an hour.
 */
public final class ExactTimes {
  private static final long DAY = 24 * RollupFormat.HOUR_MICROS;

  private ExactTimes() {}

  /** Empty if the times are not known exactly. */
  public static Optional<LongRanges> of(Expression condition) {
    try {
      return where(condition, true);
    } catch (ArithmeticException e) {
      return Optional.empty(); // times at the end of all times
    }
  }

  public static boolean keepsNull(Expression condition) {
    return CompiledPredicate.of(condition).select(DictionaryRows.NULL, 0, 1, new int[1]) == 1;
  }

  /** Every condition known here is TRUE or FALSE, never NULL, for a time that is not NULL. */
  private static Optional<LongRanges> where(Expression condition, boolean truth) {
    if (condition instanceof And and) {
      return combine(and.terms(), truth, truth);
    } else if (condition instanceof Or or) {
      return combine(or.terms(), truth, !truth);
    } else if (condition instanceof Not not) {
      return where(not.term(), !truth);
    } else if (condition instanceof IsTruth isTruth) {
      return where(isTruth.term(), isTruth.truth() == truth);
    }
    return simple(condition).map(whenTrue -> truth ? whenTrue : whenTrue.complement());
  }

  private static Optional<LongRanges> combine(List<Expression> terms, boolean truth, boolean all) {
    LongRanges ranges = all ? LongRanges.ALL : LongRanges.NONE;
    for (Expression term : terms) {
      Optional<LongRanges> one = where(term, truth);
      if (one.isEmpty()) {
        return one;
      }
      ranges = all ? ranges.and(one.get()) : ranges.or(one.get());
    }
    return Optional.of(ranges);
  }

  private static Optional<LongRanges> simple(Expression condition) {
    if (condition instanceof IsNull isNull && ExpressionColumns.isEndTime(isNull.term())) {
      return Optional.of(LongRanges.NONE);
    } else if (condition instanceof Comparison comparison) {
      Expression left = ConstantFolding.of(comparison.left());
      Expression right = ConstantFolding.of(comparison.right());
      return left instanceof Literal
          ? comparison(comparison.operator().swapped(), right, left)
          : comparison(comparison.operator(), left, right);
    } else if (condition instanceof In in && ExpressionColumns.isEndTime(in.value())) {
      return in.items().stream().allMatch(ExactTimes::isTime)
          ? Optional.of(
              LongRanges.ofPoints(in.items().stream().mapToLong(ExactTimes::micros).toArray()))
          : Optional.empty();
    } else if (condition instanceof SameHour hour && ExpressionColumns.isEndTime(hour.time())) {
      Expression now = ConstantFolding.of(hour.now());
      return isTime(now) ? Optional.of(sameHour(micros(now), hour)) : Optional.empty();
    }
    return Optional.empty();
  }

  private static boolean isTime(Expression expression) {
    return expression instanceof Literal literal && literal.value().kind() == ValueKind.TIMESTAMP;
  }

  private static long micros(Expression literal) {
    return ((Literal) literal).value().low();
  }

  private static Optional<LongRanges> comparison(
      ComparisonOperator operator, Expression left, Expression right) {
    if (!isTime(right)) {
      return Optional.empty();
    } else if (ExpressionColumns.isEndTime(left)) {
      return Optional.of(compared(operator, micros(right)));
    }
    return left instanceof TimeBucket bucket && ExpressionColumns.isEndTime(bucket.time())
        ? Optional.of(bucketed(operator, micros(right), bucket.widthMicros()))
        : Optional.empty();
  }

  private static LongRanges compared(ComparisonOperator operator, long value) {
    return switch (operator) {
      case EQUAL -> LongRanges.of(value, value);
      case NOT_EQUAL -> LongRanges.of(value, value).complement();
      case LESS -> below(value);
      case GREATER_OR_EQUAL -> below(value).complement();
      case GREATER -> LongRanges.of(Long.MIN_VALUE, value).complement();
      case LESS_OR_EQUAL -> LongRanges.of(Long.MIN_VALUE, value);
    };
  }

  private static LongRanges below(long value) {
    return value == Long.MIN_VALUE ? LongRanges.NONE : LongRanges.of(Long.MIN_VALUE, value - 1);
  }

  /** A bucket is below a time exactly if it begins before the first bucket from the time on. */
  private static LongRanges bucketed(ComparisonOperator operator, long value, long width) {
    long floor = Math.multiplyExact(Math.floorDiv(value, width), width);
    long after = Math.addExact(floor, width);
    LongRanges less = below(floor == value ? value : after);
    LongRanges lessOrEqual = below(after);
    return switch (operator) {
      case LESS -> less;
      case LESS_OR_EQUAL -> lessOrEqual;
      case GREATER -> lessOrEqual.complement();
      case GREATER_OR_EQUAL -> less.complement();
      case EQUAL -> lessOrEqual.and(less.complement());
      case NOT_EQUAL -> lessOrEqual.and(less.complement()).complement();
    };
  }

  private static LongRanges sameHour(long now, SameHour hour) {
    LongRanges ranges = LongRanges.NONE;
    for (int day = 1; day <= hour.days(); day++) {
      long start = Math.subtractExact(now, Math.multiplyExact(DAY, day));
      ranges = ranges.or(LongRanges.of(start, start + hour.lengthMicros() - 1));
    }
    return ranges;
  }
}
