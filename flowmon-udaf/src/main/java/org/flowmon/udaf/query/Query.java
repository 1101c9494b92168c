package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ValueKind;

/**
 * A query of the dialect: over flows, or over the results of other queries, which in the end are
 * over flows. Immutable; equal queries are equal.
 */
public sealed interface Query permits FlowQuery, TableQuery {
  /** Queries nest no deeper. */
  int MAX_NESTING = 8;

  /** SELECTs in one query, at most. */
  int MAX_QUERIES = 32;

  /** Columns of a result, at most: each name is looked for among them. */
  int MAX_ITEMS = 1024;

  /** The columns of the result. */
  List<SelectItem> select();

  /** Which groups stay; null where all do. */
  Expression having();

  /** How many groups of the same keys stay; null where all do. */
  LimitBy limitBy();

  /** Rows of the result, −1 where there is no limit. */
  long limit();

  /** Whether rows are grouped or aggregated. */
  boolean isAggregated();

  /** The names of all parameters in it and in the queries that it is made of. */
  Set<String> parameters();

  /**
   * This query with every parameter replaced by its value or values.
   *
   * @throws QueryException naming a parameter that has no value or whose value does not fit its
   *     place
   */
  Query bind(Parameters parameters);

  /**
   * Before a query runs: each parameter has its value.
   *
   * @throws QueryException naming one that has none
   */
  default void requireBound() {
    Set<String> open = parameters();
    if (!open.isEmpty()) {
      throw Binder.withoutValue(open.iterator().next());
    }
  }

  /**
   * Whether a column tells rows apart: it is made of what groups have in common, and of no
   * aggregate, in this query or those that it is made of.
   *
   * @param item its place in {@link #select}
   */
  boolean isKey(int item);

  /**
   * The columns of the result as expressions of a query over it.
   *
   * @param table what that query calls the result, null where it has no name for it
   */
  default List<Named> columns(String table) {
    List<Named> columns = new ArrayList<>();
    for (SelectItem item : select()) {
      ValueKind kind = item.what().kind();
      // A result's column of NULLs is of TEXT; what a parameter gives is known when it is bound.
      StateType states = StateType.of(item.what());
      boolean isOpen =
          (kind == null && Binder.hasParameter(item.what())) || (states != null && states.isOpen());
      columns.add(
          new Named(
              table,
              item.name(),
              isOpen ? null : kind == null ? ValueKind.TEXT : kind,
              ExpressionParts.isWide(item.what()),
              item.codeNames(),
              states));
    }
    return List.copyOf(columns);
  }

  /**
   * The queries over flows whose results this one's is made of, each once, in the order of the
   * text. What such a query asks by IN (SELECT …) before it runs is not among them.
   */
  default List<FlowQuery> leaves() {
    Set<FlowQuery> leaves = new LinkedHashSet<>();
    addLeaves(leaves);
    return List.copyOf(leaves);
  }

  /** All queries over flows in it, those that are asked by IN (SELECT …) too. */
  default List<FlowQuery> overFlows() {
    Set<FlowQuery> all = new LinkedHashSet<>();
    for (FlowQuery leaf : leaves()) {
      all.add(leaf);
      leaf.inQueries().forEach(in -> all.addAll(in.query().overFlows()));
    }
    return List.copyOf(all);
  }

  /** Adds {@link #leaves}. */
  void addLeaves(Set<FlowQuery> leaves);

  /** The query in the dialect; parsing it gives an equal query. */
  @Override
  String toString();
}
