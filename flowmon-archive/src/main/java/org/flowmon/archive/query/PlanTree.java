package org.flowmon.archive.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.enrich.EnrichedColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;
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
    Constraints constraints = Constraints.of(where);
    Set<EnrichedColumn> filtered =
        new FlowQuery(List.of(), query.where(), List.of(), List.of(), -1).enrichedColumns();
    for (EnrichedColumn column : columns) {
      String word = column.sqlName();
      if (filtered.contains(column)) {
        boolean isRange =
            column.keys().size() == 1 && constraints.addresses(column.keys().get(0)) != null;
        word += isRange ? " (filter: addresses)" : " (filter: each value read)";
      }
      words.add(word);
    }
    return PlanStep.of("join " + String.join(", ", words), List.of(read));
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
