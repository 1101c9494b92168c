package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * A query over flows: the same object runs live, over the archive and as replay. Immutable; equal
 * queries are equal. (In a {@link TableQuery} it holds the clauses over rows of other results.)
 *
 * @param select at least one item
 * @param where null if there is none
 * @param groupBy empty for a query without groups; an aggregated query without GROUP BY has one
 *     group, over all rows
 * @param having the condition on groups to keep, over group keys and aggregates; null to keep all
 * @param orderBy aliases are resolved: an item of a grouped query consists of group keys and
 *     aggregates
 * @param limitBy the limit on groups of the same keys; null for none
 * @param limit rows of the result, −1 if there is no limit
 */
public record FlowQuery(
    List<SelectItem> select,
    @Nullable Expression where,
    List<Expression> groupBy,
    @Nullable Expression having,
    List<OrderItem> orderBy,
    @Nullable LimitBy limitBy,
    long limit)
    implements Query {

  public FlowQuery {
    select = List.copyOf(select);
    groupBy = List.copyOf(groupBy);
    orderBy = List.copyOf(orderBy);
  }

  /** A query that keeps all groups. */
  public FlowQuery(
      List<SelectItem> select,
      @Nullable Expression where,
      List<Expression> groupBy,
      List<OrderItem> orderBy,
      long limit) {
    this(select, where, groupBy, null, orderBy, null, limit);
  }

  /** This query over other rows. */
  public FlowQuery withWhere(@Nullable Expression other) {
    return new FlowQuery(select, other, groupBy, having, orderBy, limitBy, limit);
  }

  /** Whether the result has every group, in any order. */
  public boolean keepsAllGroups() {
    return having == null && limitBy == null && limit < 0;
  }

  /** Whether rows are grouped or aggregated; otherwise the query looks up single rows. */
  @Override
  public boolean isAggregated() {
    return !groupBy.isEmpty() || !aggregates().isEmpty();
  }

  /** The aggregates in the select list, then those in ORDER BY, then those in HAVING. */
  public List<AggregateCall> aggregates() {
    List<AggregateCall> all = new ArrayList<>();
    Stream.concat(select.stream().map(SelectItem::what), orderBy.stream().map(OrderItem::what))
        .forEach(what -> collect(what, all));
    if (having != null) {
      collect(having, all);
    }
    return List.copyOf(all);
  }

  private static void collect(Expression expression, List<AggregateCall> calls) {
    if (expression instanceof AggregateCall call) {
      calls.add(call);
    } else {
      ExpressionParts.of(expression).forEach(part -> collect(part, calls));
    }
  }

  /**
   * Whether an expression is computed from the keys and aggregates of a group, and is none of them
   * itself.
   */
  public boolean isComputed(Expression what) {
    return !(what instanceof AggregateCall)
        && !(what instanceof Literal)
        && !groupBy.contains(what);
  }

  /**
   * Whether an aggregate of all rows follows from those of the groups. Two groups may count the
   * same value: a COUNT(DISTINCT …) has a total only if its arguments include all keys of GROUP BY.
   * States of functions have none.
   */
  public boolean hasTotal(AggregateCall call) {
    return !call.isState() && (!call.isDistinct() || call.arguments().containsAll(groupBy));
  }

  /**
   * Whether groups must be looked at once they are complete: for HAVING, or for a {@linkplain
   * #isComputed computed} item.
   */
  public boolean computesOverGroups() {
    return having != null
        || select.stream().anyMatch(item -> isComputed(item.what()))
        || orderBy.stream().anyMatch(item -> isComputed(item.what()));
  }

  @Override
  public boolean isKey(int item) {
    return !ExpressionParts.hasAggregate(select.get(item).what());
  }

  @Override
  public void addLeaves(Set<FlowQuery> leaves) {
    leaves.add(this);
  }

  /** The IN (SELECT …) of this query, in the order of the clauses, without those of subqueries. */
  public List<InQuery> inQueries() {
    List<InQuery> all = new ArrayList<>();
    Binder.walk(
        this,
        part -> {
          if (part instanceof InQuery in) {
            all.add(in);
          }
        });
    return List.copyOf(all);
  }

  /**
   * This query with each IN (SELECT …) as an IN of constants.
   *
   * @param answers by query: the values of the one column of its result; whole numbers are LONGs of
   *     64 bits
   */
  public FlowQuery withAnswers(Map<Query, List<Value>> answers) {
    return answers.isEmpty() ? this : Binder.answer(this, answers);
  }

  /** The names of all parameters in it. */
  @Override
  public Set<String> parameters() {
    return Binder.parameters(this);
  }

  /**
   * This query with every parameter replaced by its value or values. Types are checked again with
   * the values' kinds.
   *
   * @throws QueryException naming a parameter that has no value or whose value does not fit its
   *     place
   */
  @Override
  public FlowQuery bind(Parameters parameters) {
    return Binder.bind(this, parameters);
  }

  /** The query in the dialect; parsing it gives an equal query. */
  @Override
  public String toString() {
    return SqlText.of(this);
  }
}
