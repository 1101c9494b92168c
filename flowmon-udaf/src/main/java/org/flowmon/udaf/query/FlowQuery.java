package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.query.Expression.Enriched;
import org.flowmon.udaf.query.Expression.InQuery;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * A query over flows: the same object runs live, over the archive and as replay. In a {@link
 * TableQuery} it holds the clauses over rows of other results.
 *
 * @param select at least one item
 * @param where null if there is none
 * @param groupBy may be empty: an aggregated query has one group then, over all rows
 * @param having the condition on groups, over keys and aggregates; null to keep all
 * @param orderBy without aliases: an item of a grouped query consists of keys and aggregates
 * @param limitBy null for none
 * @param limit −1 if there is no limit
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

  public FlowQuery(
      List<SelectItem> select,
      @Nullable Expression where,
      List<Expression> groupBy,
      List<OrderItem> orderBy,
      long limit) {
    this(select, where, groupBy, null, orderBy, null, limit);
  }

  public FlowQuery withWhere(@Nullable Expression other) {
    return new FlowQuery(select, other, groupBy, having, orderBy, limitBy, limit);
  }

  public FlowQuery withLimit(long other) {
    return new FlowQuery(select, where, groupBy, having, orderBy, limitBy, other);
  }

  public boolean keepsAllGroups() {
    return having == null && limitBy == null && limit < 0;
  }

  /** Grouped or aggregated; otherwise the query looks up single rows. */
  @Override
  public boolean isAggregated() {
    return !groupBy.isEmpty()
        || (having != null && ExpressionParts.hasAggregate(having))
        || select.stream().anyMatch(item -> ExpressionParts.hasAggregate(item.what()))
        || orderBy.stream().anyMatch(item -> ExpressionParts.hasAggregate(item.what()));
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

  /** From keys and aggregates of a group, none of them itself. */
  public boolean isComputed(Expression what) {
    return !(what instanceof AggregateCall)
        && !(what instanceof Literal)
        && !groupBy.contains(what);
  }

  /**
   * Whether an aggregate of all rows follows from the groups'. Groups may share values: a
   * COUNT(DISTINCT …) has a total only if it includes all keys. States have none.
   */
  public boolean hasTotal(AggregateCall call) {
    return !call.isState() && (!call.isDistinct() || call.arguments().containsAll(groupBy));
  }

  /** For HAVING, or a {@linkplain #isComputed computed} item, groups must be complete. */
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

  /** By query, the values of its one column, whole numbers as LONGs of 64 bits. */
  public FlowQuery withAnswers(Map<Query, List<Value>> answers) {
    return answers.isEmpty() ? this : Binder.answer(this, answers);
  }

  @Override
  public Set<String> parameters() {
    return Binder.parameters(this);
  }

  /** Types are checked again; {@link QueryException} names a missing or unfit parameter. */
  @Override
  public FlowQuery bind(Parameters parameters) {
    return Binder.bind(this, parameters);
  }

  @Override
  public FlowQuery enriched(Enrichment enrichment) {
    return Binder.enrich(this, enrichment);
  }

  /** The columns whose tables it needs. */
  public Set<EnrichedColumn> enrichedColumns() {
    Set<EnrichedColumn> all = new TreeSet<>();
    Binder.walk(
        this,
        part -> {
          if (part instanceof Enriched enriched) {
            all.add(enriched.column());
          }
        });
    return all;
  }

  /** The query in the dialect; parsing it gives an equal query. */
  @Override
  public String toString() {
    return SqlText.of(this);
  }
}
