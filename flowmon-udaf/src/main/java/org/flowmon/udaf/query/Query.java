package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** A query over flows or results of other queries. Immutable; equal queries are equal. */
public sealed interface Query permits FlowQuery, TableQuery, TableQuery.Clauseless {
  int MAX_NESTING = 8;

  int MAX_QUERIES = 32;

  /** The bound on columns, as each name is looked for among them. */
  int MAX_ITEMS = 1024;

  List<SelectItem> select();

  /** The items that tell how values are shown, in the places of {@link #select}. */
  default List<SelectItem> shown() {
    return select();
  }

  @Nullable Expression having();

  @Nullable LimitBy limitBy();

  long limit();

  boolean isAggregated();

  Set<String> parameters();

  /** {@link QueryException} names a parameter without a value or with one that does not fit. */
  Query bind(Parameters parameters);

  /**
   * The same query with the tables of its enriched columns: of {@code src_as} and {@code dst_as},
   * too, if there is one. A query that has them keeps them.
   */
  Query enriched(Enrichment enrichment);

  /** Before a query runs; {@link QueryException} names a parameter without a value. */
  default void requireBound() {
    Set<String> open = parameters();
    if (!open.isEmpty()) {
      throw Binder.withoutValue(open.iterator().next());
    }
  }

  /** Whether it identifies rows: of keys of groups and no aggregate, here or in its sources. */
  boolean isKey(int item);

  /** As expressions of a query over it, in which the result has a name or null. */
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
              states,
              item.isList()));
    }
    return List.copyOf(columns);
  }

  /** Each once, in the order of the text, without those in IN (SELECT …), which run before. */
  default List<FlowQuery> leaves() {
    Set<FlowQuery> leaves = new LinkedHashSet<>();
    addLeaves(leaves);
    return List.copyOf(leaves);
  }

  default List<FlowQuery> overFlows() {
    Set<FlowQuery> all = new LinkedHashSet<>();
    for (FlowQuery leaf : leaves()) {
      all.add(leaf);
      leaf.inQueries().forEach(in -> all.addAll(in.query().overFlows()));
    }
    return List.copyOf(all);
  }

  void addLeaves(Set<FlowQuery> leaves);

  @Override
  String toString();
}
