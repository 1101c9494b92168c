package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * That a column of a result is approximate, and the query that gives what it stands for exactly,
 * over the same flows.
 *
 * @param column its name
 * @param what the approximate value in it
 * @param exact per group: the exact number; or the values or items that there are, each with its
 *     exact count or sum, in the order that shows the answer
 */
public record Approximation(String column, AggregateCall what, FlowQuery exact) {
  /** How a query gives the exact answer of an extractor. */
  public enum Way {
    /** The answer is exact itself. */
    ITSELF,
    /** By the number of different arguments. */
    COUNT_DISTINCT,
    /** By the values of the arguments in their order, with the number of rows of each. */
    COUNTS,
    /** By the values of the first argument, with the sum of the second or the number of rows. */
    SUMS,
    /** By none that is known. */
    UNKNOWN
  }

  /** Each approximate value of a query's columns; a state and what is exact is none. */
  public static List<Approximation> of(Query query) {
    List<Approximation> all = new ArrayList<>();
    for (FlowQuery leaf : query.leaves()) {
      for (SelectItem item : leaf.select()) {
        collect(leaf, item.name(), item.what(), all);
      }
    }
    return List.copyOf(all);
  }

  private static void collect(
      FlowQuery query, String column, Expression what, List<Approximation> all) {
    if (!(what instanceof AggregateCall call)) {
      ExpressionParts.of(what).forEach(part -> collect(query, column, part, all));
    } else if (call.isState() && !call.value().isState()) {
      StateValue value = call.value();
      FlowQuery exact = exact(query, call, Functions.catalogue().exact(value));
      AggregateCall itself =
          new AggregateCall(call.arguments(), value.bound(StateValue.Part.VALUE));
      if (exact != null && value.part() == StateValue.Part.VALUE) {
        all.add(new Approximation(column, itself, exact));
      }
    }
  }

  private static FlowQuery exact(FlowQuery query, AggregateCall call, Way way) {
    List<Expression> rows =
        call.arguments().stream()
            .filter(argument -> !(argument instanceof Expression.Literal))
            .toList();
    AggregateCall count = new AggregateCall(AggregateFunction.COUNT, List.of());
    return switch (way) {
      case ITSELF, UNKNOWN -> null;
      case COUNT_DISTINCT ->
          exact(query, List.of(), new AggregateCall(AggregateFunction.COUNT_DISTINCT, rows), false);
      case COUNTS -> exact(query, rows, count, false);
      case SUMS ->
          exact(
              query,
              rows.subList(0, 1),
              rows.size() == 1
                  ? count
                  : new AggregateCall(AggregateFunction.SUM, rows.subList(1, 2)),
              true);
    };
  }

  /**
   * The query of some groups.
   *
   * @param keys further keys
   * @param byValue whether the largest come first in each group, else the smallest keys
   */
  private static FlowQuery exact(
      FlowQuery query, List<Expression> keys, AggregateCall value, boolean byValue) {
    Map<Expression, String> items = new LinkedHashMap<>();
    query.groupBy().forEach(key -> items.put(key, name(query, key)));
    List<Expression> groupBy = new ArrayList<>(query.groupBy());
    for (Expression key : keys) {
      if (items.putIfAbsent(key, name(query, key)) == null) {
        groupBy.add(key);
      }
    }
    items.put(value, "exact");
    List<OrderItem> order = new ArrayList<>();
    query.groupBy().forEach(key -> order.add(new OrderItem(key, false, false)));
    if (byValue) {
      order.add(new OrderItem(value, true, false));
    } else {
      keys.forEach(key -> order.add(new OrderItem(key, false, false)));
    }
    List<SelectItem> select = new ArrayList<>();
    items.forEach((what, name) -> select.add(new SelectItem(name, what)));
    return new FlowQuery(select, query.where(), groupBy, order, -1);
  }

  private static String name(FlowQuery query, Expression key) {
    for (SelectItem item : query.select()) {
      if (item.what().equals(key)) {
        return item.name();
      }
    }
    return key instanceof Expression.Column column
        ? column.column().sqlName()
        : key.toString().toLowerCase(Locale.ROOT);
  }

  /** The line that says so. */
  @Override
  public String toString() {
    String bounds =
        what.value().isList()
            ? "has the bounds of each item"
            : "is between LOWER(" + what + ") and UPPER(" + what + ")";
    return column + ": " + what + " " + bounds + "; exactly by " + exact;
  }
}
