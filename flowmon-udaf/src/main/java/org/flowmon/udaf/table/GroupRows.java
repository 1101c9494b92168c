package org.flowmon.udaf.table;

import java.util.List;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.Deviation;
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

  /** Writes a column's cell of the builder's last row. */
  private interface Cell {
    void write(ResultTable.Builder builder, int group);
  }

  ResultTable table(int[] groups) {
    ResultTable.Builder builder = new ResultTable.Builder();
    query.select().forEach(item -> builder.column(item.name(), item.what().kind()));
    builder.reserve(groups.length);
    Cell[] cells = new Cell[query.select().size()];
    for (int c = 0; c < cells.length; c++) {
      cells[c] = cell(c, query.select().get(c));
    }
    for (int group : groups) {
      builder.row();
      for (Cell cell : cells) {
        cell.write(builder, group);
      }
    }
    return builder.build();
  }

  /** What is to be looked up for a column is looked up once. */
  private Cell cell(int column, SelectItem item) {
    if (item.what() instanceof AggregateCall call && Deviation.is(call)) {
      Deviation deviation = new Deviation(table.layout(), call);
      long[] words = table.words();
      return (builder, group) ->
          setDeviation(builder, column, deviation, words, table.stateAt(group));
    }
    if (item.what() instanceof AggregateCall call) {
      Accumulator value = table.layout().value(call);
      Accumulator values = table.layout().values(call);
      long[] words = table.words();
      return (builder, group) ->
          setAggregate(builder, column, call, value, values, words, table.stateAt(group));
    }
    int key = query.groupBy().indexOf((Expression) item.what());
    if (key < 0) {
      Value literal = ((Literal) item.what()).value();
      return (builder, group) -> setLiteral(builder, column, literal);
    }
    return (builder, group) -> setKey(builder, column, key, group);
  }

  /** One row: the aggregates of the select list, of one state. */
  static ResultTable aggregates(FlowQuery query, GroupLayout layout, long[] state) {
    List<SelectItem> items =
        query.select().stream().filter(item -> item.what() instanceof AggregateCall).toList();
    ResultTable.Builder builder = new ResultTable.Builder();
    items.forEach(item -> builder.column(item.name(), item.what().kind()));
    builder.row();
    for (int c = 0; c < items.size(); c++) {
      AggregateCall call = (AggregateCall) items.get(c).what();
      if (Deviation.is(call)) {
        setDeviation(builder, c, new Deviation(layout, call), state, 0);
      } else {
        setAggregate(builder, c, call, layout.value(call), layout.values(call), state, 0);
      }
    }
    return builder.build();
  }

  private void setKey(ResultTable.Builder builder, int column, int key, int group) {
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

  private static void setDeviation(
      ResultTable.Builder builder, int column, Deviation deviation, long[] state, int at) {
    if (!deviation.isNull(state, at)) {
      builder.set(column, Double.doubleToLongBits(deviation.of(state, at)));
    }
  }

  private static void setAggregate(
      ResultTable.Builder builder,
      int column,
      AggregateCall call,
      Accumulator value,
      Accumulator values,
      long[] state,
      int from) {
    int at = from + value.word();
    if (value.equals(values)) {
      builder.set(column, state[at]);
      return;
    }
    long count = state[from + values.word()];
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
