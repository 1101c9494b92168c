package org.flowmon.udaf.result;

import java.util.Map;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.aggregate.Accumulator;
import org.flowmon.udaf.aggregate.GroupFunction;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.CompiledExpressions;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Int128;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates rows of an aggregated query into a {@link GroupTable}. Not thread-safe; several may
 * take parts of the rows and be merged.
 */
public final class GroupCollector {
  private final FlowQuery query;
  private final GroupTable table;
  private final CompiledExpressions expressions;
  private final CompiledExpression[] keys;
  private final Vector[] keyVectors;
  private final CompiledExpression[] arguments;
  private final Vector[] argumentVectors;
  private final int[] shifted = new int[Vector.CAPACITY];

  /** Takes a bound and aggregated query. */
  public GroupCollector(FlowQuery query) {
    this(query, Map.of(), null);
  }

  /** A collector whose groups take limited memory, shared with the query's others. */
  public GroupCollector(FlowQuery query, @Nullable GroupMemory memory) {
    this(query, Map.of(), memory);
  }

  /** A collector over other results' rows, in vectors by column; memory null: unlimited. */
  GroupCollector(FlowQuery query, Map<Expression, Vector> given, @Nullable GroupMemory memory) {
    this.query = query;
    GroupLayout layout = GroupLayout.of(query);
    this.table = new GroupTable(layout, memory);
    this.expressions = new CompiledExpressions(given);
    this.keys = expressions.add(layout.keys());
    this.keyVectors = vectors(keys);
    this.arguments = expressions.add(layout.arguments());
    this.argumentVectors = vectors(arguments);
  }

  static Vector[] vectors(CompiledExpression[] expressions) {
    Vector[] vectors = new Vector[expressions.length];
    for (int i = 0; i < vectors.length; i++) {
      vectors[i] = expressions[i].newVector();
    }
    return vectors;
  }

  /** Adds filtered rows: ascending, relative to {@code from}, below {@link Vector#CAPACITY}. */
  public void add(FlowRows flows, int from, int[] selection, int n) {
    if (n == 0) {
      return;
    }
    int first = selection[0];
    int count = selection[n - 1] - first + 1;
    expressions.next();
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

  /**
   * Adds rows at ascending places of the {@code count} values in the given vectors.
   *
   * @throws QueryException if a key, or the argument of a 64-bit aggregate, exceeds 64 bits
   */
  void add(int count, int[] selection, int n) {
    if (n == 0) {
      return;
    }
    GroupLayout layout = table.layout();
    expressions.next();
    for (int k = 0; k < keys.length; k++) {
      keys[k].evaluate(count, keyVectors[k]);
      requireLongs(keyVectors[k], selection, n, layout.keys().get(k), "GROUP BY");
    }
    for (int a = 0; a < arguments.length; a++) {
      arguments[a].evaluate(count, argumentVectors[a]);
    }
    for (Accumulator accumulator : layout.accumulators()) {
      switch (accumulator.operation()) {
        case MIN, MAX, SUM_OF_SQUARES -> {
          int a = accumulator.argument();
          requireLongs(
              argumentVectors[a], selection, n, layout.arguments().get(a), "MIN, MAX or STDDEV");
        }
        default -> {
          // counts and sums take any value
        }
      }
    }
    for (GroupFunction function : layout.functions()) {
      for (int i = 0; i < function.arguments(); i++) {
        int a = function.argument(i);
        requireLongs(
            argumentVectors[a],
            selection,
            n,
            layout.arguments().get(a),
            function.function().call().name());
      }
    }
    table.add(keyVectors, argumentVectors, selection, n);
  }

  private static void requireLongs(
      Vector vector, int[] selection, int n, Expression what, String where) {
    if (!vector.isWide()) {
      return;
    }
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      if (vector.upper(i) != vector.values()[i] >> 63) {
        throw new QueryException(
            where
                + " takes whole numbers of 64 bits: "
                + what
                + " is "
                + Int128.toBigInteger(vector.upper(i), vector.values()[i])
                + " in a row");
      }
    }
  }

  public GroupTable table() {
    return table;
  }

  public ResultTable finish() {
    return new GroupAnswer(table, query).finish();
  }
}
