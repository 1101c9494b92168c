package org.flowmon.archive.query.plan;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Value;

/**
 * What a run of day sums leaves to the segments it covers: the times outside its days, with their
 * rows' filter and the rule for their own rollups. Immutable.
 */
public record DayRemainder(Expression where, RollupRule rule) {
  /** {@code answered} has the times of the run's days; rows without a time may be answered, too. */
  public static DayRemainder of(RollupRule rule, LongRanges answered, boolean nullIsAnswered) {
    LongRanges left = answered.complement();
    boolean keepsNull = rule.nullTimeIsKept() && !nullIsAnswered;
    List<Expression> any = new ArrayList<>();
    for (int i = 0; i < left.count(); i++) {
      any.add(within(left.first(i), left.last(i)));
    }
    if (keepsNull) {
      any.add(new Expression.IsNull(time()));
    }
    Expression where = rule.query().where();
    // If neither a time nor NULL is left, the run answers for everything: no segment is read.
    Expression condition = any.size() == 1 ? any.get(0) : new Expression.Or(any);
    LongRanges times = rule.times().map(some -> some.and(left)).orElse(left);
    return new DayRemainder(
        where == null ? condition : new Expression.And(List.of(where, condition)),
        rule.within(times, keepsNull));
  }

  private static Expression time() {
    return new Expression.Column(FlowColumn.END_TIME);
  }

  private static Expression within(long from, long to) {
    List<Expression> both = new ArrayList<>();
    if (from > Long.MIN_VALUE || to == Long.MAX_VALUE) {
      both.add(compare(Expression.ComparisonOperator.GREATER_OR_EQUAL, from));
    }
    if (to < Long.MAX_VALUE) {
      both.add(compare(Expression.ComparisonOperator.LESS_OR_EQUAL, to));
    }
    return both.size() == 1 ? both.get(0) : new Expression.And(both);
  }

  private static Expression compare(Expression.ComparisonOperator operator, long micros) {
    return new Expression.Comparison(
        operator, time(), new Expression.Literal(Value.ofTimestamp(micros)));
  }
}
