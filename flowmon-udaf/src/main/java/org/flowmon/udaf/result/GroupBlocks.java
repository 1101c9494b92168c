package org.flowmon.udaf.result;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.TableVectors;
import org.flowmon.udaf.vector.Vector;

/** Keys and aggregates of groups as vectors, block by block, for expressions. Not thread-safe. */
final class GroupBlocks {
  /** Processes a block. */
  @FunctionalInterface
  interface Work {
    /** Processes {@code n} ≤ {@link Vector#CAPACITY} groups, read from place {@code from} on. */
    void block(int from, int n);
  }

  // Groups whose keys and aggregates are written in one step.
  private static final int CHUNK = 8 * Vector.CAPACITY;

  private final Map<Expression, Vector> vectors = new LinkedHashMap<>();
  private final GroupRows rows;

  GroupBlocks(GroupTable table, FlowQuery query, Expression of) {
    collect(of, query.groupBy());
    List<SelectItem> items = new ArrayList<>();
    vectors.keySet().forEach(leaf -> items.add(new SelectItem("v" + items.size(), leaf)));
    this.rows = new GroupRows(table, new FlowQuery(items, null, query.groupBy(), List.of(), -1));
  }

  private void collect(Expression expression, List<Expression> keys) {
    if (expression instanceof AggregateCall || keys.contains(expression)) {
      vectors.computeIfAbsent(expression, leaf -> new Vector(leaf.kind()));
    } else {
      ExpressionParts.of(expression).forEach(part -> collect(part, keys));
    }
  }

  /** By key or aggregate: its values of the current block. */
  Map<Expression, Vector> vectors() {
    return vectors;
  }

  void read(int[] groups, Work work) {
    for (int chunk = 0; chunk < groups.length; chunk += CHUNK) {
      int end = Math.min(groups.length, chunk + CHUNK);
      ResultTable values = rows.table(Arrays.copyOfRange(groups, chunk, end));
      for (int from = chunk; from < end; from += Vector.CAPACITY) {
        int n = Math.min(Vector.CAPACITY, end - from);
        int column = 0;
        for (Vector vector : vectors.values()) {
          TableVectors.load(values, column++, from - chunk, n, vector);
        }
        work.block(from, n);
      }
    }
  }
}
