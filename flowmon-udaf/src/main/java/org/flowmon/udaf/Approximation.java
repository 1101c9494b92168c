package org.flowmon.udaf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.FunctionCatalogue.Way;
import org.flowmon.udaf.query.Functions;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.StateType;
import org.flowmon.udaf.query.StateValue;
import org.flowmon.udaf.query.TableQuery;
import org.jspecify.annotations.Nullable;

/**
 * An approximate column of a result, and a query for its exact values over the same flows.
 *
 * @param what the approximate value in it
 * @param isWhole whether the column is this value, not computed from it
 * @param exact by group the exact answer, or all values or items with exact counts or sums, in the
 *     order that shows it. Columns of the same call with exact arguments share one query
 */
public record Approximation(String column, Expression what, boolean isWhole, FlowQuery exact) {
  /** Also of values computed in subqueries, but not of states and exact values. */
  public static List<Approximation> of(Query query) {
    Set<Found> found = new LinkedHashSet<>();
    for (SelectItem item : query.select()) {
      collect(query, new Place(item.name(), true), item.what(), null, found);
    }
    Set<Approximation> all = new LinkedHashSet<>();
    for (Found one : found) {
      FlowQuery exact = one.way() == Way.EXACT_CALL ? together(one, found) : exact(one);
      if (exact != null) {
        all.add(new Approximation(one.column(), one.what(), one.place().isWhole(), exact));
      }
    }
    return List.copyOf(all);
  }

  /** A column, or a part of what it is computed from. */
  private record Place(String column, boolean isWhole) {}

  /** The flows' query makes the states; the call makes them or takes the value out of one. */
  private record Found(Place place, Expression what, FlowQuery flows, AggregateCall call, Way way) {
    String column() {
      return place.column();
    }
  }

  private static FlowQuery together(Found of, Set<Found> found) {
    Map<AggregateCall, String> columns = new LinkedHashMap<>();
    for (Found one : found) {
      if (one.way() == Way.EXACT_CALL && one.flows().equals(of.flows())) {
        columns.putIfAbsent(exactly(one.call()), one.column());
      }
    }
    Map<AggregateCall, String> names = new LinkedHashMap<>();
    columns.forEach(
        (call, column) -> names.put(call, columns.size() == 1 ? "exact" : column + "_exact"));
    return exact(of.flows(), List.of(), names, false);
  }

  private static AggregateCall exactly(AggregateCall call) {
    List<Expression> arguments =
        Functions.catalogue().exactArguments(call.state().function(), call.arguments());
    return new AggregateCall(arguments, call.state());
  }

  /** A value taken out of states, and the way to compute it exactly from rows. */
  private record Taken(Expression what, Way way) {
    /** For combined states: rows do not tell how many values they have in common. */
    Taken ofParts() {
      boolean isOfWhole = way == Way.COUNT_DISTINCT || way == Way.EXACT_CALL;
      return isOfWhole ? new Taken(what, Way.COUNTS) : this;
    }
  }

  /** {@code taken} are the values taken out of its states; null if there are none. */
  private static void collect(
      Query query, Place place, Expression what, @Nullable Taken taken, Set<Found> all) {
    if (query instanceof TableQuery.Relation relation) {
      relation.of().ifPresent(of -> collectItem(of, place, what, taken, all));
    } else if (query instanceof TableQuery.Union union) {
      int item = union.select().stream().map(SelectItem::what).toList().indexOf(what);
      for (Query part : union.parts()) {
        collect(part, place, part.select().get(item).what(), taken, all);
      }
    } else if (what instanceof Expression.Named named) {
      collectColumn((TableQuery) query, place, named, taken, all);
    } else if (what instanceof Expression.OfStates call) {
      if (call.part() == StateValue.Part.VALUE) {
        Taken of = call.states() != null ? taken : new Taken(call, way(call));
        boolean isOne = call.of().size() == 1;
        Taken parts = of == null || isOne ? of : of.ofParts();
        call.of().forEach(states -> collect(query, place, states, parts, all));
      }
    } else if (what instanceof AggregateCall call && call.isState()) {
      collectCall(query, place, call, taken, all);
    } else {
      Place part = taken == null ? new Place(place.column(), false) : place;
      ExpressionParts.of(what).forEach(one -> collect(query, part, one, taken, all));
    }
  }

  private static Way way(Expression.OfStates call) {
    String function = StateType.required(call.of().get(0)).function();
    return call.of().size() == 1
        ? Functions.catalogue().exact(function, call.name())
        : Functions.catalogue().exactOfPair(function, call.name());
  }

  private static void collectColumn(
      TableQuery query,
      Place place,
      Expression.Named named,
      @Nullable Taken taken,
      Set<Found> all) {
    for (TableQuery.Source source : query.from()) {
      if (Objects.equals(source.name(), named.table())) {
        collectItem(source.query(), place, named, taken, all);
      }
    }
  }

  /** Of a query's item by the name of a column. */
  private static void collectItem(
      Query query, Place place, Expression named, @Nullable Taken taken, Set<Found> all) {
    for (SelectItem item : query.select()) {
      if (item.name().equals(((Expression.Named) named).name())) {
        collect(query, place, item.what(), taken, all);
      }
    }
  }

  private static void collectCall(
      Query query, Place place, AggregateCall call, @Nullable Taken taken, Set<Found> all) {
    StateValue value = call.state();
    if (value.part() != StateValue.Part.VALUE) {
      return;
    }
    Taken of =
        value.isState()
            ? taken
            : new Taken(call, Functions.catalogue().exact(value.function(), value.extractor()));
    if (of == null || Functions.catalogue().isExact(value.function(), call.callArguments())) {
      return;
    }
    if (value.merged() != null) {
      collect(query, place, call.argument(), of.ofParts(), all);
    } else if (query instanceof FlowQuery flows) {
      // Values taken out of a column of states do not exist when the states are made.
      Way way = value.isState() && of.way() == Way.EXACT_CALL ? Way.COUNTS : of.way();
      all.add(new Found(place, of.what(), flows, call, way));
    }
  }

  private static @Nullable FlowQuery exact(Found found) {
    FlowQuery query = found.flows();
    AggregateCall call = found.call();
    List<Expression> rows =
        call.arguments().stream()
            .filter(argument -> !(argument instanceof Expression.Literal))
            .toList();
    AggregateCall count = new AggregateCall(AggregateFunction.COUNT, List.of());
    return switch (found.way()) {
      case ITSELF, EXACT_CALL, UNKNOWN -> null;
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

  /** {@code byValue}: groups begin with the largest values, else with the smallest keys. */
  private static FlowQuery exact(
      FlowQuery query, List<Expression> keys, AggregateCall value, boolean byValue) {
    return exact(query, keys, Map.of(value, "exact"), byValue);
  }

  private static FlowQuery exact(
      FlowQuery query, List<Expression> keys, Map<AggregateCall, String> values, boolean byValue) {
    Map<Expression, String> items = new LinkedHashMap<>();
    query.groupBy().forEach(key -> putNamed(items, key, name(query, key)));
    List<Expression> groupBy = new ArrayList<>(query.groupBy());
    for (Expression key : keys) {
      if (putNamed(items, key, name(query, key))) {
        groupBy.add(key);
      }
    }
    values.forEach((value, name) -> putNamed(items, value, name));
    List<OrderItem> order = new ArrayList<>();
    query.groupBy().forEach(key -> order.add(new OrderItem(key, false, false)));
    if (byValue) {
      order.add(new OrderItem(values.keySet().iterator().next(), true, false));
    } else {
      keys.forEach(key -> order.add(new OrderItem(key, false, false)));
    }
    List<SelectItem> select = new ArrayList<>();
    items.forEach((what, name) -> select.add(new SelectItem(name, what)));
    return new FlowQuery(select, query.where(), groupBy, order, -1);
  }

  /** If it is missing, by a unique name; keys may have any. */
  private static boolean putNamed(Map<Expression, String> items, Expression what, String name) {
    String free = name;
    for (int more = 2; items.containsValue(free); more++) {
      free = name + "_" + more;
    }
    return items.putIfAbsent(what, free) == null;
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
}
