package org.flowmon.udaf.result;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** Writes groups as the rows of a query's result. */
public final class GroupRows {
  // Rows whose groups stay in a core's cache while all columns are written.
  private static final int BLOCK = 512;

  private final GroupTable table;
  private final FlowQuery query;
  private final AnswerColumns columns;
  private boolean inspected;

  GroupRows(GroupTable table, FlowQuery query) {
    this.table = table;
    this.query = query;
    this.columns = new AnswerColumns(query, table.layout());
  }

  /** Makes the rows of some groups; may be called again if no group was added since. */
  ResultTable table(int[] groups) {
    if (!inspected) {
      columns.inspect(table.words(), table.stateAt(0), table.stride(), table.size());
      inspected = true;
    }
    columns.allocateAll(groups.length);
    List<KeyColumn> keys = new ArrayList<>();
    for (int c = 0; c < columns.count(); c++) {
      if (columns.key(c) >= 0) {
        keys.add(new KeyColumn(c, columns.key(c), groups.length));
      }
    }
    int[] places = new int[Math.min(BLOCK, groups.length)];
    for (int from = 0; from < groups.length; from += BLOCK) {
      table.memory().check();
      int n = Math.min(BLOCK, groups.length - from);
      for (int i = 0; i < n; i++) {
        places[i] = table.stateAt(groups[from + i]);
      }
      columns.writeAggregates(table.words(), places, n, from);
      for (KeyColumn key : keys) {
        key.write(groups, from, n);
      }
    }
    keys.forEach(KeyColumn::set);
    for (int c = 0; c < columns.count(); c++) {
      if (query.select().get(c).what() instanceof AggregateCall call && call.isState()) {
        StateColumn.of(table, call, groups).fill(columns, c);
      } else if (columns.key(c) < 0 && query.isComputed(query.select().get(c).what())) {
        ComputedColumn.of(table, query, query.select().get(c).what(), groups).fill(columns, c);
      }
    }
    return columns.build();
  }

  /** A column of a key. */
  private final class KeyColumn {
    private final int column;
    private final int key;
    private final boolean isText;
    private final boolean isAddress;
    private final long[] low;
    private final long[] high;
    private final @Nullable String[] texts;
    private final int rows;
    private boolean[] isNull = {};

    KeyColumn(int column, int key, int rows) {
      this.column = column;
      this.key = key;
      this.rows = rows;
      isText = table.layout().keyKind(key) == ValueKind.TEXT;
      isAddress = table.layout().keyKind(key) == ValueKind.ADDRESS;
      low = new long[isText ? 0 : rows];
      high = new long[isAddress ? rows : 0];
      texts = new String[isText ? rows : 0];
    }

    void write(int[] groups, int from, int n) {
      for (int r = from; r < from + n; r++) {
        int at = table.keyAt(groups[r], key);
        if (table.isKeyNull(groups[r], key)) {
          isNull = isNull.length == 0 ? new boolean[rows] : isNull;
          isNull[r] = true;
        } else if (isText) {
          texts[r] = table.keyText(groups[r], key);
        } else {
          low[r] = table.word(isAddress ? at + 1 : at);
          if (isAddress) {
            high[r] = table.word(at);
          }
        }
      }
    }

    void set() {
      columns.set(column, low, high, texts, isNull);
    }
  }

  /**
   * One row of the merged state's aggregates; NULL if one has no total, as COUNT(DISTINCT …) if not
   * all groups are counted.
   */
  public static ResultTable aggregates(
      FlowQuery query, GroupLayout layout, long[] state, boolean allGroups) {
    List<SelectItem> items =
        query.select().stream().filter(item -> item.what() instanceof AggregateCall).toList();
    FlowQuery totals = new FlowQuery(items, null, List.of(), List.of(), -1);
    AnswerColumns columns = new AnswerColumns(totals, layout);
    columns.inspect(state, 0, 0, 1);
    columns.allocateAll(1);
    columns.writeAggregates(state, new int[1], 1, 0);
    for (int c = 0; c < items.size(); c++) {
      AggregateCall call = (AggregateCall) items.get(c).what();
      if (!query.hasTotal(call) || (call.isDistinct() && !allGroups)) {
        columns.set(c, new long[1], new long[0], new boolean[] {true});
      }
    }
    return columns.build();
  }
}
