package org.flowmon.udaf.query;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * A query over flows: the same object runs live, over the archive and as replay. Immutable; equal
 * queries are equal.
 *
 * @param select at least one item
 * @param where null where there is none
 * @param groupBy empty for a query without groups; an aggregated query without GROUP BY has one
 *     group, over all rows
 * @param orderBy aliases are resolved: an item of a grouped query is a group key or an aggregate
 * @param limit rows of the result, −1 where there is no limit
 */
public record FlowQuery(
    List<SelectItem> select,
    Expression where,
    List<Expression> groupBy,
    List<OrderItem> orderBy,
    long limit) {

  public FlowQuery {
    select = List.copyOf(select);
    groupBy = List.copyOf(groupBy);
    orderBy = List.copyOf(orderBy);
  }

  /** Whether rows are grouped or aggregated; otherwise the query looks up single rows. */
  public boolean isAggregated() {
    return !groupBy.isEmpty() || !aggregates().isEmpty();
  }

  /** The aggregates of the select list, then those of ORDER BY. */
  public List<AggregateCall> aggregates() {
    return Stream.concat(
            select.stream().map(SelectItem::what), orderBy.stream().map(OrderItem::what))
        .filter(AggregateCall.class::isInstance)
        .map(AggregateCall.class::cast)
        .toList();
  }

  /** The names of all parameters in it. */
  public Set<String> parameters() {
    return Binder.parameters(this);
  }

  /**
   * This query with every parameter replaced by its value or values. Types are checked again with
   * what the values are.
   *
   * @throws QueryException naming a parameter that has no value or whose value does not fit its
   *     place
   */
  public FlowQuery bind(Parameters parameters) {
    return Binder.bind(this, parameters);
  }

  /** The query in the dialect; parsing it gives an equal query. */
  @Override
  public String toString() {
    return SqlText.of(this);
  }
}
