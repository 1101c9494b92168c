package org.flowmon.jobs.report;

import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;
import org.flowmon.udaf.constraint.ConstantFolding;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;

/**
 * The days that a history query alone sets by {@code SAME_HOUR(…, begin, days, length)}: day i is
 * [begin − 24 h · i, begin − 24 h · i + length).
 *
 * @param days how many
 * @param begin {@code :now}, or a time made of it
 * @param lengthMicros of the hour
 */
public record SameHourDays(int days, Expression begin, long lengthMicros) {
  public static final long HOUR_MICROS = Expression.SameHour.HOUR_MICROS;
  private static final long DAY_MICROS = 24 * HOUR_MICROS;

  /** Those of the query's filter, if it has a SAME_HOUR. */
  static Optional<SameHourDays> of(FlowQuery query) {
    return query.where() == null
        ? Optional.empty()
        : find(query.where())
            .findFirst()
            .map(hour -> new SameHourDays(hour.days(), hour.now(), hour.lengthMicros()));
  }

  // Under OR or NOT it does not restrict the days.
  private static Stream<Expression.SameHour> find(Expression expression) {
    if (expression instanceof Expression.SameHour hour) {
      return Stream.of(hour);
    }
    return expression instanceof Expression.And and
        ? and.terms().stream().flatMap(SameHourDays::find)
        : Stream.empty();
  }

  /** {@link #begin} in microseconds; empty if it hangs on more than {@code :now}. */
  OptionalLong begin(long now) {
    List<SelectItem> item = List.of(new SelectItem("begin", begin));
    FlowQuery query = new FlowQuery(item, null, List.of(), List.of(), -1);
    FlowQuery bound = query.bind(Parameters.NONE.with("now", Value.ofTimestamp(now)));
    return ConstantFolding.of(bound.select().get(0).what()) instanceof Expression.Literal literal
            && !literal.value().isNull()
        ? OptionalLong.of(literal.value().low())
        : OptionalLong.empty();
  }

  /** The start of a day's hour, in microseconds. */
  public long start(long now, int day) {
    return begin(now).orElseThrow() - day * DAY_MICROS;
  }
}
