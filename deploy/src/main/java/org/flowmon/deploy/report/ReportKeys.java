package org.flowmon.deploy.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.report.json.ReportRow;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.When;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * The columns by which the rows of an exact query belong to those of a report: its groups' keys
 * that the report has.
 *
 * @param items those of its groups' keys that the report does not have, but in its lists
 */
record ReportKeys(FlowQuery query, List<SelectItem> shared, List<SelectItem> items) {
  static ReportKeys of(FlowQuery query, ReportRow row) {
    List<SelectItem> shared = new ArrayList<>();
    List<SelectItem> items = new ArrayList<>();
    for (SelectItem item : query.select()) {
      if (query.groupBy().contains(item.what())) {
        (row.columns().containsKey(item.name()) ? shared : items).add(item);
      }
    }
    return new ReportKeys(query, List.copyOf(shared), List.copyOf(items));
  }

  /** Whether each row of the report has one of the answer. */
  boolean isComplete() {
    return items.isEmpty();
  }

  List<String> of(ReportRow row) {
    return shared.stream().map(item -> String.valueOf(row.columns().get(item.name()))).toList();
  }

  Map<List<String>, Integer> rows(ResultTable answer) {
    return index(answer, shared);
  }

  /** By keys and items. */
  Map<List<String>, Integer> rowsOfItems(ResultTable answer) {
    List<SelectItem> all = new ArrayList<>(shared);
    all.addAll(items);
    return index(answer, all);
  }

  private static Map<List<String>, Integer> index(ResultTable answer, List<SelectItem> by) {
    int[] columns = by.stream().mapToInt(item -> answer.column(item.name())).toArray();
    Map<List<String>, Integer> rows = new HashMap<>();
    for (int row = 0; row < answer.rowCount(); row++) {
      List<String> key = new ArrayList<>();
      for (int column : columns) {
        key.add(String.valueOf(Cells.object(answer, row, column)));
      }
      rows.put(key, row);
    }
    return rows;
  }

  /** The query of these rows' groups alone. */
  FlowQuery within(List<ReportRow> rows) {
    List<Expression> terms = new ArrayList<>();
    if (query.where() instanceof Expression.And and) {
      terms.addAll(and.terms());
    } else if (query.where() != null) {
      terms.add(query.where());
    }
    if (!shared.isEmpty()) {
      List<Expression> groups = rows.stream().map(this::isOf).toList();
      terms.add(groups.size() == 1 ? groups.get(0) : new Expression.Or(groups));
    }
    Expression where =
        terms.isEmpty() ? null : terms.size() == 1 ? terms.get(0) : new Expression.And(terms);
    return new FlowQuery(query.select(), where, query.groupBy(), query.orderBy(), query.limit());
  }

  /** That a flow is of the row's group; of at least one key. */
  private Expression isOf(ReportRow row) {
    List<Expression> terms = new ArrayList<>();
    for (SelectItem item : shared) {
      Value value = Cells.value(row.columns().get(item.name()), item.resultKind());
      terms.add(
          value.isNull()
              ? new Expression.IsNull(item.what())
              : new Expression.Comparison(
                  Expression.ComparisonOperator.EQUAL, item.what(), new Expression.Literal(value)));
    }
    return terms.size() == 1 ? terms.get(0) : new Expression.And(terms);
  }

  /** Of each flow the value in the report's row of its group; NULL without one. */
  Expression valueOf(List<ReportRow> rows, String column, ValueKind kind) {
    List<When> whens = new ArrayList<>();
    for (ReportRow row : rows) {
      Value value = Cells.value(row.columns().get(column), kind);
      if (!value.isNull()) {
        Expression literal = new Expression.Literal(value);
        if (shared.isEmpty()) {
          return literal;
        }
        whens.add(new When(isOf(row), literal));
      }
    }
    Expression none = new Expression.Literal(Value.NULL);
    return whens.isEmpty() ? none : new Expression.Case(whens, none, kind);
  }
}
