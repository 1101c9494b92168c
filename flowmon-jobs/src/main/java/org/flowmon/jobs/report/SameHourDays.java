package org.flowmon.jobs.report;

import java.util.Optional;
import java.util.stream.Stream;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.value.ValueKind;

/**
 * The days that a history query alone sets by {@code SAME_HOUR(…, :now, days)}: day i is the hour
 * [now − 24 h · i, now − 24 h · i + 1 h). With {@code :now - INTERVAL …} it begins so much earlier,
 * and a fourth argument is its length.
 *
 * @param days how many
 * @param earlierMicros how much before {@code :now} the hour begins
 * @param lengthMicros of the hour
 */
public record SameHourDays(int days, long earlierMicros, long lengthMicros) {
  public static final long HOUR_MICROS = Expression.SameHour.HOUR_MICROS;
  private static final long DAY_MICROS = 24 * HOUR_MICROS;

  /** Those of the query's filter, if it has a SAME_HOUR. */
  public static Optional<SameHourDays> of(FlowQuery query) {
    return query.where() == null
        ? Optional.empty()
        : find(query.where())
            .findFirst()
            .map(hour -> new SameHourDays(hour.days(), earlier(hour.now()), hour.lengthMicros()));
  }

  private static long earlier(Expression now) {
    return now instanceof Expression.Arithmetic minus
            && minus.operator() == Expression.ArithmeticOperator.SUBTRACT
            && minus.right() instanceof Expression.Literal by
            && by.kind() == ValueKind.DURATION
        ? by.value().low()
        : 0;
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

  /** The start of a day's hour, in microseconds. */
  public long start(long now, int day) {
    return now - earlierMicros - day * DAY_MICROS;
  }
}
