package org.flowmon.jobs.report;

import java.util.List;
import java.util.Objects;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;

/**
 * The days that a history query asks for by {@code SAME_HOUR(…, :now, days)}: day i is the hour
 * [now − 24 h · i, now − 24 h · i + 1 h). The query alone sets the days.
 */
public record SameHourDays(int days) {
  public static final long HOUR_MICROS = 3_600_000_000L;
  private static final long DAY_MICROS = 24 * HOUR_MICROS;

  /** Returns the days of a query, null if its filter has no SAME_HOUR. */
  public static SameHourDays of(FlowQuery query) {
    return query.where() == null ? null : find(query.where());
  }

  // Only conditions that hold for every row count: under OR or NOT it does not restrict the days.
  private static SameHourDays find(Expression expression) {
    if (expression instanceof Expression.SameHour hour) {
      return new SameHourDays(hour.days());
    }
    List<Expression> terms = expression instanceof Expression.And and ? and.terms() : List.of();
    return terms.stream().map(SameHourDays::find).filter(Objects::nonNull).findFirst().orElse(null);
  }

  /** Returns the start of a day's hour, in microseconds. */
  public static long start(long now, int day) {
    return now - day * DAY_MICROS;
  }
}
