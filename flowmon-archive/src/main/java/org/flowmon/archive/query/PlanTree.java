package org.flowmon.archive.query;

import java.util.List;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.flowmon.archive.query.plan.PlanStep;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.OrderItem;

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
