package org.flowmon.archive.query;

import java.util.List;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.query.Constraints;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Value;

/**
 * A query's condition, compiled, and what follows from it for pruning. Not thread-safe.
 *
 * @param keepsAll whether there is no condition
 */
record Filter(CompiledPredicate predicate, Constraints constraints, boolean keepsAll) {
  static Filter of(Expression where) {
    return new Filter(CompiledPredicate.of(where), Constraints.of(where), where == null);
  }

  /** The condition of rows that had arrived by then. */
  static Expression asOf(Expression where, long arrival) {
    Expression arrived =
        new Expression.Comparison(
            Expression.ComparisonOperator.LESS_OR_EQUAL,
            new Expression.Column(FlowColumn.ARRIVAL),
            new Expression.Literal(Value.ofTimestamp(arrival)));
    return where == null ? arrived : new Expression.And(List.of(where, arrived));
  }
}
