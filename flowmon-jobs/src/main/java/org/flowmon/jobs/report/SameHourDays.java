package org.flowmon.jobs.report;

import java.util.OptionalInt;
import java.util.stream.Stream;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The days that a history query alone sets by {@code SAME_HOUR(…, :now, days)}: day i is the hour
 * [now − 24 h · i, now − 24 h · i + 1 h).
 */
public final class SameHourDays {
  public static final long HOUR_MICROS = 3_600_000_000L;
  private static final long DAY_MICROS = 24 * HOUR_MICROS;

  private SameHourDays() {}

  /** The number of days, if the query's filter has a SAME_HOUR. */
  public static OptionalInt of(FlowQuery query) {
    return query.where() == null
        ? OptionalInt.empty()
        : find(query.where()).mapToInt(Expression.SameHour::days).findFirst();
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
  public static long start(long now, int day) {
    return now - day * DAY_MICROS;
  }
}
