package org.flowmon.archive.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.Enriched;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.set.AddressRanges;
import org.jspecify.annotations.Nullable;

/** Words for the steps of a plan that follow from the query alone. */
final class PlanTree {
  private PlanTree() {}

  static PlanStep above(FlowQuery query, PlanStep rows) {
    PlanStep step = rows;
    if (query.having() != null) {
      step = PlanStep.of("keep groups: " + query.having(), List.of(step));
    }
    if (query.limitBy() != null) {
      step = PlanStep.of(query.limitBy().toString(), List.of(step));
    }
    if (query.orderBy().isEmpty()) {
      return query.limit() < 0 ? step : PlanStep.of("first " + query.limit(), List.of(step));
    }
    String order = joined(query.orderBy(), PlanTree::text);
    return PlanStep.of(
        query.limit() < 0 ? "sort by " + order : "top " + query.limit() + " by " + order,
        List.of(step));
  }

  /** Says which columns are joined, and whether filters on them choose rows or are evaluated. */
  static PlanStep enriched(FlowQuery query, @Nullable Expression where, PlanStep read) {
    Set<EnrichedColumn> columns = query.enrichedColumns();
    if (columns.isEmpty()) {
      return read;
    }
    List<String> words = new ArrayList<>();
    Set<EnrichedColumn> filtered =
        new FlowQuery(List.of(), query.where(), List.of(), List.of(), -1).enrichedColumns();
    for (EnrichedColumn column : columns) {
      String word = column.sqlName();
      if (filtered.contains(column)) {
        word += isRange(column, where) ? " (filter: addresses)" : " (filter: each value read)";
      }
      words.add(word);
    }
    return PlanStep.of("join " + String.join(", ", words), List.of(read));
  }

  /**
   * Whether a term of the filter gives ranges of addresses by this column, and not only by what
   * else it says of them.
   */
  private static boolean isRange(EnrichedColumn column, @Nullable Expression where) {
    if (where instanceof And and) {
      return and.terms().stream().anyMatch(term -> isRange(column, term));
    } else if (where == null || column.keys().size() != 1) {
      return false;
    }
    FlowColumn address = column.keys().get(0);
    AddressRanges ranges = Constraints.of(where).addresses(address);
    AddressRanges otherwise = Constraints.of(without(column, where)).addresses(address);
    return ranges != null && !Objects.equals(ranges, otherwise);
  }

  /** The condition without what follows from a joined column. */
  private static Expression without(EnrichedColumn column, Expression condition) {
    if (condition instanceof And and) {
      return new And(and.terms().stream().map(term -> without(column, term)).toList());
    } else if (condition instanceof Or or) {
      return new Or(or.terms().stream().map(term -> without(column, term)).toList());
    } else if (condition instanceof Not not) {
      return new Not(without(column, not.term()));
    } else if (condition instanceof IsTruth isTruth) {
      return new IsTruth(without(column, isTruth.term()), isTruth.truth());
    }
    boolean isOfColumn =
        ExpressionParts.of(condition).stream()
            .anyMatch(part -> part instanceof Enriched enriched && enriched.column() == column);
    return isOfColumn ? new IsNull(condition) : condition; // of which nothing follows
  }

  static String keys(FlowQuery query) {
    return query.groupBy().isEmpty() ? "nothing" : joined(query.groupBy(), Object::toString);
  }

  private static String text(OrderItem item) {
    return item.what()
        + (item.descending() ? " DESC" : "")
        + (item.nullsFirst() ? " NULLS FIRST" : "");
  }

  private static <T> String joined(List<T> items, Function<T, String> text) {
    return items.stream().map(text).collect(Collectors.joining(", "));
  }
}
