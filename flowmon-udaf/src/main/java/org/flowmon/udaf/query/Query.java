package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * A query of the dialect: over flows, or over the results of other queries. Immutable; equal
 * queries are equal.
 */
public sealed interface Query permits FlowQuery, TableQuery {
  /** The deepest nesting of queries. */
  int MAX_NESTING = 8;

  /** The most SELECTs of one query. */
  int MAX_QUERIES = 32;

  /** The most columns of a result: each name is looked for among them. */
  int MAX_ITEMS = 1024;

  /** The columns of the result. */
  List<SelectItem> select();

  /** The condition on groups to keep; null to keep all. */
  @Nullable Expression having();

  /** The limit on groups of the same keys; null for none. */
  @Nullable LimitBy limitBy();

  /** Rows of the result, −1 if there is no limit. */
  long limit();

  /** Whether rows are grouped or aggregated. */
  boolean isAggregated();

  /** The names of all parameters in it and in its sources. */
  Set<String> parameters();

  /**
   * This query with every parameter replaced by its value or values.
   *
   * @throws QueryException naming a parameter that has no value or whose value does not fit its
   *     place
   */
  Query bind(Parameters parameters);

  /**
   * Requires that each parameter has its value, before a query runs.
   *
   * @throws QueryException naming a parameter without a value
   */
  default void requireBound() {
    Set<String> open = parameters();
    if (!open.isEmpty()) {
      throw Binder.withoutValue(open.iterator().next());
    }
  }

  /**
   * Whether a column identifies rows: it consists of keys of groups, and of no aggregate, in this
   * query or its sources.
   *
   * @param item its place in {@link #select}
   */
  boolean isKey(int item);

  /**
   * The columns of the result as expressions of a query over it.
   *
   * @param table that query's name for the result, null if it has none
   */
  default List<Named> columns(@Nullable String table) {
    List<Named> columns = new ArrayList<>();
    for (SelectItem item : select()) {
      ValueKind kind = item.what().kind();
      // A result's column of NULLs is of TEXT; the kind of a parameter is known after binding.
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
   * The queries over flows that are its sources, each once, in the order of the text. Subqueries in
   * IN (SELECT …), which run before, are left out.
   */
  default List<FlowQuery> leaves() {
    Set<FlowQuery> leaves = new LinkedHashSet<>();
    addLeaves(leaves);
    return List.copyOf(leaves);
  }

  /** All queries over flows in it, including subqueries in IN (SELECT …). */
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
