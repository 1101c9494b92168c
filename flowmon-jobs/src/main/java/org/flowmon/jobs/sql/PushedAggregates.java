package org.flowmon.jobs.sql;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.apache.flink.table.expressions.AggregateExpression;
import org.apache.flink.table.expressions.FieldReferenceExpression;
import org.apache.flink.table.types.logical.LogicalType;
import org.flowmon.flow.ColumnType;
import org.flowmon.flow.FlowColumn;
import org.flowmon.jobs.sql.row.SqlField;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;

/**
 * Groups that the archive answers in place of Flink's local aggregation; Flink merges those of the
 * splits.
 *
 * @param keys columns, may be none
 * @param calls one for each aggregate of Flink
 * @param fields types of keys, then of calls
 */
record PushedAggregates(List<FlowColumn> keys, List<AggregateCall> calls, List<SqlField> fields) {
  PushedAggregates {
    keys = List.copyOf(keys);
    calls = List.copyOf(calls);
    fields = List.copyOf(fields);
  }

  /** Empty if one of the aggregates means something else in the dialect. */
  static Optional<PushedAggregates> of(
      List<FlowColumn> keys, List<AggregateExpression> aggregates, List<LogicalType> types) {
    List<AggregateCall> calls = new ArrayList<>();
    List<SqlField> fields = new ArrayList<>();
    for (int i = 0; i < keys.size(); i++) {
      fields.add(new SqlField(types.get(i), false));
    }
    for (int i = 0; i < aggregates.size(); i++) {
      String function = function(aggregates.get(i));
      Optional<AggregateCall> call = call(function, aggregates.get(i));
      if (call.isEmpty()) {
        return Optional.empty();
      }
      calls.add(call.get());
      fields.add(new SqlField(types.get(keys.size() + i), function.equals("Sum0AggFunction")));
    }
    return Optional.of(new PushedAggregates(keys, calls, fields));
  }

  /**
   * The planner's class of the function. The planner has a class loader of its own, so its classes
   * are known by name only; each type of argument has a subclass.
   */
  private static String function(AggregateExpression aggregate) {
    Class<?> of = aggregate.getFunctionDefinition().getClass();
    while (of.getEnclosingClass() != null && of.getSuperclass() != null) {
      of = of.getSuperclass();
    }
    return of.getSimpleName();
  }

  private static Optional<AggregateCall> call(String function, AggregateExpression aggregate) {
    List<FieldReferenceExpression> arguments = aggregate.getArgs();
    boolean isPlain =
        !aggregate.isDistinct()
            && !aggregate.isApproximate()
            && aggregate.getFilterExpression().isEmpty()
            && arguments.size() <= 1;
    if (!isPlain) {
      return Optional.empty();
    }
    if (arguments.isEmpty()) {
      return function.equals("Count1AggFunction")
          ? Optional.of(new AggregateCall(AggregateFunction.COUNT, List.of()))
          : Optional.empty();
    }
    FlowColumn column = FlowColumn.byName(arguments.get(0).getName());
    if (column == null) {
      return Optional.empty();
    }
    ColumnType type = column.type();
    // Texts of addresses have another order than addresses; Flink has no order of booleans.
    boolean isOrdered = type.isLong() && type != ColumnType.BOOLEAN;
    boolean isNumber = isOrdered && type != ColumnType.TIMESTAMP;
    Expression argument = new Expression.Column(column);
    return switch (function) {
      case "CountAggFunction" -> Optional.of(new AggregateCall(AggregateFunction.COUNT, argument));
      case "SumAggFunction", "Sum0AggFunction" ->
          isNumber
              ? Optional.of(new AggregateCall(AggregateFunction.SUM, argument))
              : Optional.empty();
      case "MinAggFunction" ->
          isOrdered
              ? Optional.of(new AggregateCall(AggregateFunction.MIN, argument))
              : Optional.empty();
      case "MaxAggFunction" ->
          isOrdered
              ? Optional.of(new AggregateCall(AggregateFunction.MAX, argument))
              : Optional.empty();
      default -> Optional.empty();
    };
  }
}
