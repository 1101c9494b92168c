package org.flowmon.archive.query.filter;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
    Optional<FlowColumn> column = addressOf(condition);
    if (column.isEmpty()) {
      return false;
    }
    AddressRanges ranges = Constraints.of(condition).addresses(column.get());
    if (ranges != null) {
      members.add(new ExactAddresses(column.get(), ranges));
    }
    return ranges != null;
  }

  private static Optional<FlowColumn> addressOf(Expression condition) {
    if (condition instanceof Comparison comparison
        && comparison.operator() == ComparisonOperator.EQUAL) {
      return isAddress(comparison.right())
          ? address(comparison.left())
          : isAddress(comparison.left()) ? address(comparison.right()) : Optional.empty();
    }
    return condition instanceof In in
            && in.items().stream().allMatch(item -> item instanceof Prefix || isAddress(item))
        ? address(in.value())
        : Optional.empty();
  }

  private static Optional<FlowColumn> address(Expression expression) {
    return expression instanceof Column found && found.column().type() == ColumnType.ADDRESS
        ? Optional.of(found.column())
        : Optional.empty();
  }

  private static boolean isAddress(Expression expression) {
    return expression instanceof Literal literal && literal.value().kind() == ValueKind.ADDRESS;
  }
}
