package org.flowmon.udaf.result;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.TableVectors;
import org.flowmon.udaf.vector.Vector;

/** A condition over result tables with the same columns, as WHERE over flows. Not thread-safe. */
public final class TableCondition {
  private final Map<Expression, Vector> vectors = new LinkedHashMap<>();
  private final CompiledPredicate predicate;
  private final int[] selection = new int[Vector.CAPACITY];

  private TableCondition(Expression condition) {
    collect(condition);
    this.predicate = CompiledPredicate.of(condition, vectors);
  }

  /**
   * Parses a condition on a table named as {@code the report} in errors.
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static TableCondition parse(String sql, List<Named> columns, String title) {
    return new TableCondition(QueryParser.parseCondition(sql, columns, title));
  }

  private void collect(Expression expression) {
    if (expression instanceof Named column) {
      vectors.computeIfAbsent(column, leaf -> new Vector(leaf.kind()));
    }
    ExpressionParts.of(expression).forEach(this::collect);
  }

  /**
   * The rows for which the condition is TRUE, neither FALSE nor NULL, ascending; columns in any
   * order.
   *
   * @throws IllegalArgumentException if a column is missing or of another kind
   */
  public int[] select(ResultTable table) {
    int[] places = vectors.keySet().stream().mapToInt(leaf -> place(table, (Named) leaf)).toArray();
    int[] chosen = new int[table.rowCount()];
    int n = 0;
    for (int from = 0; from < table.rowCount(); from += Vector.CAPACITY) {
      int count = Math.min(Vector.CAPACITY, table.rowCount() - from);
      int column = 0;
      for (Vector vector : vectors.values()) {
        TableVectors.load(table, places[column++], from, count, vector);
      }
      int found = predicate.select(count, selection);
      for (int i = 0; i < found; i++) {
        chosen[n++] = from + selection[i];
      }
    }
    return n == chosen.length ? chosen : Arrays.copyOf(chosen, n);
  }

  private static int place(ResultTable table, Named column) {
    return TableVectors.place(table, column.name(), column.kind(), "a condition");
  }
}
