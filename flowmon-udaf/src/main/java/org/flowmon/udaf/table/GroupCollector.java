package org.flowmon.udaf.table;

import java.util.List;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;

/**
 * Collects the answer of an aggregated query: evaluates keys and arguments of chosen rows into a
 * {@link GroupTable}. The counterpart of {@link RowLookup}. Not thread-safe; several may work on
 * parts of the rows and be merged.
 */
public final class GroupCollector {
  private final FlowQuery query;
  private final GroupTable table;
  private final CompiledExpression[] keys;
  private final Vector[] keyVectors;
  private final CompiledExpression[] arguments;
  private final Vector[] argumentVectors;
  private final int[] shifted = new int[Vector.CAPACITY];

  /**
   * An answer without rows yet.
   *
   * @param query bound and aggregated
   */
  public GroupCollector(FlowQuery query) {
    this.query = query;
    GroupLayout layout = GroupLayout.of(query);
    this.table = new GroupTable(layout);
    this.keys = compile(layout.keys());
    this.keyVectors = vectors(keys);
    this.arguments = compile(layout.arguments());
    this.argumentVectors = vectors(arguments);
  }

  static CompiledExpression[] compile(List<Expression> expressions) {
    return expressions.stream().map(CompiledExpression::of).toArray(CompiledExpression[]::new);
  }

  static Vector[] vectors(CompiledExpression[] expressions) {
    Vector[] vectors = new Vector[expressions.length];
    for (int i = 0; i < vectors.length; i++) {
      vectors[i] = expressions[i].newVector();
    }
    return vectors;
  }

  /**
   * Adds rows that the query's filter has chosen already.
   *
   * @param from first row of the range that the selection is relative to
   * @param selection rows relative to {@code from}, ascending, below {@link Vector#CAPACITY}
   * @param n how many of them
   */
  public void add(FlowRows flows, int from, int[] selection, int n) {
    if (n == 0) {
      return;
    }
    int first = selection[0];
    int count = selection[n - 1] - first + 1;
    for (int k = 0; k < keys.length; k++) {
      keys[k].evaluate(flows, from + first, count, keyVectors[k]);
    }
    for (int a = 0; a < arguments.length; a++) {
      arguments[a].evaluate(flows, from + first, count, argumentVectors[a]);
    }
    for (int r = 0; r < n; r++) {
      shifted[r] = selection[r] - first;
    }
    table.add(keyVectors, argumentVectors, shifted, n);
  }

  /** The groups so far: to be merged, or to be looked at. */
  public GroupTable table() {
    return table;
  }

  /** Takes in what another has collected of the same query. */
  public void merge(GroupCollector other) {
    table.merge(other.table);
  }

  /** The answer over all rows added so far. */
  public ResultTable finish() {
    return table.finish(query);
  }
}
