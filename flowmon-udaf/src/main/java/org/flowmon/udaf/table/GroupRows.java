package org.flowmon.udaf.table;

import java.util.List;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Int128;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.Value;
import org.flowmon.udaf.query.ValueKind;

/** Writes groups as the rows of a query's result. */
final class GroupRows {
  private final GroupTable table;
  private final FlowQuery query;

  GroupRows(GroupTable table, FlowQuery query) {
    this.table = table;
    this.query = query;
  }

  ResultTable table(int[] groups) {
    ResultTable.Builder builder = new ResultTable.Builder();
    query.select().forEach(item -> builder.column(item.name(), item.what().kind()));
    for (int group : groups) {
      builder.row();
      for (int c = 0; c < query.select().size(); c++) {
        SelectItem item = query.select().get(c);
        if (item.what() instanceof AggregateCall call) {
          long[] state = state(group);
          setAggregate(builder, c, table.layout(), call, state);
        } else {
          setKey(builder, c, (Expression) item.what(), group);
        }
      }
    }
    return builder.build();
  }

  /** One row: the aggregates of the select list, of one state. */
  static ResultTable aggregates(FlowQuery query, GroupLayout layout, long[] state) {
    List<SelectItem> items =
        query.select().stream().filter(item -> item.what() instanceof AggregateCall).toList();
    ResultTable.Builder builder = new ResultTable.Builder();
    items.forEach(item -> builder.column(item.name(), item.what().kind()));
    builder.row();
    for (int c = 0; c < items.size(); c++) {
      setAggregate(builder, c, layout, (AggregateCall) items.get(c).what(), state);
    }
    return builder.build();
  }

  private long[] state(int group) {
    long[] state = new long[table.layout().stateWords()];
    for (int w = 0; w < state.length; w++) {
      state[w] = table.word(table.stateAt(group) + w);
    }
    return state;
  }

  private void setKey(ResultTable.Builder builder, int column, Expression expression, int group) {
    int key = query.groupBy().indexOf(expression);
    if (key < 0) {
      setLiteral(builder, column, ((Literal) expression).value());
      return;
    }
    if (table.isKeyNull(group, key)) {
      return;
    }
    int at = table.keyAt(group, key);
    switch (table.layout().keyKind(key)) {
      case ADDRESS -> builder.set(column, table.word(at), table.word(at + 1));
      case TEXT -> builder.set(column, table.keyText(group, key));
      default -> builder.set(column, table.word(at));
    }
  }

  private static void setLiteral(ResultTable.Builder builder, int column, Value value) {
    if (value.isNull()) {
      return;
    }
    switch (value.kind()) {
      case ADDRESS -> builder.set(column, value.high(), value.low());
      case TEXT -> builder.set(column, value.text());
      default -> builder.set(column, value.low());
    }
  }

  private static void setAggregate(
      ResultTable.Builder builder,
      int column,
      GroupLayout layout,
      AggregateCall call,
      long[] state) {
    Accumulator value = layout.value(call);
    Accumulator values = layout.values(call);
    int at = value.word();
    if (value.equals(values)) {
      builder.set(column, state[at]);
      return;
    }
    long count = state[values.word()];
    if (count == 0) {
      return; // NULL
    }
    switch (value.operation()) {
      case SUM -> {
        long high = state[at + 1] + (state[at] >> 63);
        if (call.kind() == ValueKind.DOUBLE) {
          builder.set(column, Double.doubleToLongBits(Int128.divide(high, state[at], count)));
        } else {
          builder.set(column, high, state[at]);
        }
      }
      case MIN_ADDRESS, MAX_ADDRESS -> builder.set(column, state[at], state[at + 1]);
      default ->
          builder.set(
              column,
              call.kind() == ValueKind.DOUBLE ? Accumulation.sortable(state[at]) : state[at]);
    }
  }
}
