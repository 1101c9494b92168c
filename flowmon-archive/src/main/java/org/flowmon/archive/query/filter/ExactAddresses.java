package org.flowmon.archive.query.filter;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Comparison;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.In;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Prefix;
import org.flowmon.udaf.set.AddressRanges;
import org.flowmon.udaf.value.ValueKind;

/** TRUE exactly if a column has one of the addresses: posting lists decide it without the rows. */
public record ExactAddresses(FlowColumn column, AddressRanges ranges) {
  /** The alternatives of a condition; a row must meet one of them. Empty for others. */
  static List<ExactAddresses> of(Expression condition) {
    List<ExactAddresses> members = new ArrayList<>();
    return collect(condition, members) ? members : List.of();
  }

  private static boolean collect(Expression condition, List<ExactAddresses> members) {
    if (condition instanceof Or or) {
      return or.terms().stream().allMatch(term -> collect(term, members));
    }
    Column column = addressOf(condition);
    if (column == null) {
      return false;
    }
    AddressRanges ranges = Constraints.of(condition).addresses(column.column());
    if (ranges != null) {
      members.add(new ExactAddresses(column.column(), ranges));
    }
    return ranges != null;
  }

  private static Column addressOf(Expression condition) {
    Expression column = null;
    if (condition instanceof Comparison comparison
        && comparison.operator() == ComparisonOperator.EQUAL) {
      boolean isRight = isAddress(comparison.right());
      column = isRight ? comparison.left() : comparison.right();
      column = isRight || isAddress(comparison.left()) ? column : null;
    } else if (condition instanceof In in
        && in.items().stream().allMatch(item -> item instanceof Prefix || isAddress(item))) {
      column = in.value();
    }
    return column instanceof Column found && found.column().type() == ColumnType.ADDRESS
        ? found
        : null;
  }

  private static boolean isAddress(Expression expression) {
    return expression instanceof Literal literal && literal.value().kind() == ValueKind.ADDRESS;
  }
}
