package org.flowmon.archive.query.filter;

import java.util.Set;
import java.util.TreeSet;
import org.flowmon.archive.days.DayRunFormat;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.DaysBefore;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;
import org.flowmon.udaf.query.ExpressionParts;

/** The columns that an expression depends on, and how it depends on {@code end_time}. */
public final class ExpressionColumns {
  private ExpressionColumns() {}

  public static Set<FlowColumn> of(Expression expression) {
    Set<FlowColumn> columns = new TreeSet<>();
    ExpressionParts.addColumns(expression, columns);
    return columns;
  }

  /**
   * Whether an expression has one value for all times of any UTC hour, if the other columns stay
   * the same. Conservative: {@code false} does not imply that it varies.
   */
  public static boolean isHourly(Expression expression) {
    return isSameWithin(RollupFormat.HOUR_MICROS, expression);
  }

  /** As {@link #isHourly}, for the times of any UTC day. */
  public static boolean isDaily(Expression expression) {
    return isSameWithin(DayRunFormat.DAY_MICROS, expression);
  }

  /** Whether an expression has one value for all times from any multiple of a width to the next. */
  private static boolean isSameWithin(long width, Expression expression) {
    if (expression instanceof Column column) {
      return column.column() != FlowColumn.END_TIME;
    } else if (expression instanceof TimeBucket bucket && isEndTime(bucket.time())) {
      return bucket.widthMicros() % width == 0;
    } else if (expression instanceof DaysBefore days && isEndTime(days.time())) {
      return isMultiple(width, days.now());
    } else if (expression instanceof SameHour hour && isEndTime(hour.time())) {
      // It tells the hours of a day apart.
      return width == RollupFormat.HOUR_MICROS
          && hour.lengthMicros() % width == 0
          && isMultiple(width, hour.now());
    } else if (expression instanceof IsNull isNull && isEndTime(isNull.term())) {
      return true;
    }
    return ExpressionParts.of(expression).stream().allMatch(part -> isSameWithin(width, part));
  }

  static boolean isEndTime(Expression expression) {
    return expression instanceof Column column && column.column() == FlowColumn.END_TIME;
  }

  private static boolean isMultiple(long width, Expression expression) {
    return expression instanceof Literal literal
        && !literal.value().isNull()
        && literal.value().low() % width == 0;
  }
}
