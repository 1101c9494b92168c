package org.flowmon.archive.query;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.rollup.RollupFormat;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Arithmetic;
import org.flowmon.udaf.query.Expression.Case;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.DaysBefore;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Network;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Parameter;
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.query.Expression.SameHour;
import org.flowmon.udaf.query.Expression.TimeBucket;

/** Of which columns an expression's value is a function, and how it depends on {@code end_time}. */
final class ExpressionColumns {
  private ExpressionColumns() {}

  /** The columns in an expression. */
  static Set<FlowColumn> of(Expression expression) {
    Set<FlowColumn> columns = EnumSet.noneOf(FlowColumn.class);
    collect(expression, columns);
    return columns;
  }

  private static void collect(Expression expression, Set<FlowColumn> columns) {
    if (expression instanceof Column column) {
      columns.add(column.column());
    }
    parts(expression).forEach(part -> collect(part, columns));
  }

  /**
   * Whether an expression has one value for all times of any UTC hour, the other columns being the
   * same. Where it says no, it may have one all the same.
   */
  static boolean isHourly(Expression expression) {
    if (expression instanceof Column column) {
      return column.column() != FlowColumn.END_TIME;
    } else if (expression instanceof TimeBucket bucket && isEndTime(bucket.time())) {
      return bucket.widthMicros() % RollupFormat.HOUR_MICROS == 0;
    } else if (expression instanceof DaysBefore days && isEndTime(days.time())) {
      return isWholeHour(days.now());
    } else if (expression instanceof SameHour hour && isEndTime(hour.time())) {
      return isWholeHour(hour.now());
    } else if (expression instanceof IsNull isNull && isEndTime(isNull.term())) {
      return true;
    }
    return parts(expression).stream().allMatch(ExpressionColumns::isHourly);
  }

  static boolean isEndTime(Expression expression) {
    return expression instanceof Column column && column.column() == FlowColumn.END_TIME;
  }

  private static boolean isWholeHour(Expression expression) {
    return expression instanceof Literal literal
        && !literal.value().isNull()
        && literal.value().low() % RollupFormat.HOUR_MICROS == 0;
  }

  private static List<Expression> parts(Expression expression) {
    if (expression instanceof Column
        || expression instanceof Literal
        || expression instanceof Prefix
        || expression instanceof Parameter) {
      return List.of();
    } else if (expression instanceof And and) {
      return and.terms();
    } else if (expression instanceof Or or) {
      return or.terms();
    } else if (expression instanceof In in) {
      return List.of(in.value()); // the items are constants
    } else if (expression instanceof Comparison comparison) {
      return List.of(comparison.left(), comparison.right());
    } else if (expression instanceof Not not) {
      return List.of(not.term());
    } else if (expression instanceof IsNull isNull) {
      return List.of(isNull.term());
    } else if (expression instanceof IsTruth isTruth) {
      return List.of(isTruth.term());
    } else if (expression instanceof Arithmetic arithmetic) {
      return List.of(arithmetic.left(), arithmetic.right());
    } else if (expression instanceof Case cases) {
      List<Expression> parts = new ArrayList<>(List.of(cases.otherwise()));
      cases.whens().forEach(when -> parts.addAll(List.of(when.condition(), when.result())));
      return parts;
    } else if (expression instanceof Network network) {
      return List.of(network.address());
    } else if (expression instanceof TimeBucket bucket) {
      return List.of(bucket.time());
    } else if (expression instanceof SameHour hour) {
      return List.of(hour.time(), hour.now());
    } else if (expression instanceof DaysBefore days) {
      return List.of(days.time(), days.now());
    }
    throw new IllegalArgumentException("an unknown expression: " + expression);
  }
}
