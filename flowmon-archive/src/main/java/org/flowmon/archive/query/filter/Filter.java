package org.flowmon.archive.query.filter;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * A query's compiled condition, whole and as terms joined by AND, with its consequences for
 * pruning. Not thread-safe.
 */
public final class Filter {
  private final @Nullable Expression where;
  // Compiled when the first row needs it: many lookups never do.
  private @Nullable CompiledPredicate predicate;
  private final Constraints constraints;
  private final Map<FlowColumn, List<Expression>> byColumn = new TreeMap<>();
  private final List<Expression> others = new ArrayList<>();
  private final Map<FlowColumn, CompiledPredicate> onColumns = new TreeMap<>();
  private final Map<Set<FlowColumn>, Optional<CompiledPredicate>> rests = new HashMap<>();
  private final Optional<LongRanges> exactTimes;
  private final List<List<ExactAddresses>> exactAddresses;

  private Filter(@Nullable Expression where) {
    this.where = where;
    this.constraints = Constraints.of(where);
    if (where != null) {
      split(where);
    }
    List<Expression> times = byColumn.get(FlowColumn.END_TIME);
    this.exactTimes = times == null ? Optional.empty() : ExactTimes.of(and(times));
    this.exactAddresses = exactAddresses();
  }

  /** {@code where} is null for none. */
  public static Filter of(@Nullable Expression where) {
    return new Filter(where);
  }

  private void split(Expression term) {
    if (term instanceof Expression.And and) {
      and.terms().forEach(this::split);
      return;
    }
    Set<FlowColumn> columns = ExpressionColumns.of(term);
    if (columns.size() == 1) {
      byColumn.computeIfAbsent(columns.iterator().next(), c -> new ArrayList<>()).add(term);
    } else {
      others.add(term);
    }
  }

  private static Expression and(List<Expression> terms) {
    return terms.size() == 1 ? terms.get(0) : new Expression.And(terms);
  }

  public CompiledPredicate predicate() {
    if (predicate == null) {
      predicate = CompiledPredicate.of(where);
    }
    return predicate;
  }

  /**
   * Alternatives of each term on addresses; a row must meet one of every term. Empty unless all
   * terms but those on {@code end_time} are about addresses alone.
   */
  public List<List<ExactAddresses>> addresses() {
    return exactAddresses;
  }

  /** Whether a term is on {@code end_time} alone. */
  public boolean hasTimes() {
    return byColumn.containsKey(FlowColumn.END_TIME);
  }

  private List<List<ExactAddresses>> exactAddresses() {
    List<Expression> terms = new ArrayList<>(others);
    byColumn.forEach(
        (column, some) -> {
          if (column != FlowColumn.END_TIME) {
            terms.addAll(some);
          }
        });
    List<List<ExactAddresses>> exact = new ArrayList<>();
    for (Expression term : terms) {
      List<ExactAddresses> members = ExactAddresses.of(term);
      if (members.isEmpty()) {
        return List.of();
      }
      exact.add(members);
    }
    return exact;
  }

  /** Necessary conditions on every row that passes. */
  public Constraints constraints() {
    return constraints;
  }

  /** Whether a segment's rows within the constraints' times pass every term on {@code end_time}. */
  public boolean decidesTimes(SegmentReader segment) {
    return exactTimes.isPresent()
        && exactTimes.equals(Optional.ofNullable(constraints.longs(FlowColumn.END_TIME)))
        && segment.clampedRows() == 0
        && segment.nullCount(FlowColumn.END_TIME) == 0;
  }

  /** All terms on one column alone; keeps every row if there are none. */
  public CompiledPredicate on(FlowColumn column) {
    return onColumns.computeIfAbsent(
        column,
        c -> {
          List<Expression> terms = byColumn.get(c);
          return CompiledPredicate.of(terms == null ? null : and(terms));
        });
  }

  public boolean isOn(FlowColumn column) {
    return byColumn.containsKey(column);
  }

  /** The condition that remains once the terms on these columns are decided; empty if none does. */
  Optional<CompiledPredicate> without(Set<FlowColumn> decided) {
    return rests.computeIfAbsent(decided, this::rest);
  }

  private Optional<CompiledPredicate> rest(Set<FlowColumn> decided) {
    if (decided.isEmpty()) {
      return where == null ? Optional.empty() : Optional.of(predicate());
    }
    List<Expression> left = new ArrayList<>(others);
    byColumn.forEach(
        (column, terms) -> {
          if (!decided.contains(column)) {
            left.addAll(terms);
          }
        });
    return left.isEmpty() ? Optional.empty() : Optional.of(CompiledPredicate.of(and(left)));
  }

  public static Expression asOf(@Nullable Expression where, long arrival) {
    Expression arrived =
        new Expression.Comparison(
            Expression.ComparisonOperator.LESS_OR_EQUAL,
            new Expression.Column(FlowColumn.ARRIVAL),
            new Expression.Literal(Value.ofTimestamp(arrival)));
    return where == null ? arrived : new Expression.And(List.of(where, arrived));
  }
}
