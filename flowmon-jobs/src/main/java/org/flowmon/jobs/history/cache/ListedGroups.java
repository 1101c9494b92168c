package org.flowmon.jobs.history.cache;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.flowmon.udaf.constraint.ConstantFolding;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/**
 * A query for the groups whose first key is in a list, {@code WHERE key IN (:live.column) AND …
 * GROUP BY key, …}. A value's result depends on no other, so answers for parts of a list add up. It
 * has no texts: text keys have an order of their own, states and lists any size. Immutable.
 */
public final class ListedGroups {
  private static final String LIVE = "live.";

  private final FlowQuery query;
  private final FlowQuery without; // without the list
  private final String parameter;
  private final int[] keyColumns;

  private ListedGroups(FlowQuery query, FlowQuery without, String parameter, int[] keyColumns) {
    this.query = query;
    this.without = without;
    this.parameter = parameter;
    this.keyColumns = keyColumns;
  }

  /** Empty if the query is not known to have this shape. */
  public static Optional<ListedGroups> of(Query any) {
    if (!(any instanceof FlowQuery query)
        || !query.keepsAllGroups()
        || !query.orderBy().isEmpty()
        || !query.inQueries().isEmpty()
        || query.select().stream().anyMatch(item -> item.what().kind() == ValueKind.TEXT)) {
      return Optional.empty();
    }
    List<Expression.In> lists = new ArrayList<>();
    for (Expression term : terms(query.where())) {
      if (term instanceof Expression.In in
          && in.items().size() == 1
          && in.items().get(0) instanceof Expression.Parameter list
          && list.name().startsWith(LIVE)) {
        lists.add(in);
      }
    }
    if (lists.size() != 1) {
      return Optional.empty();
    }
    String parameter = ((Expression.Parameter) lists.get(0).items().get(0)).name();
    if (!query.parameters().equals(Set.of(parameter))
        && !query.parameters().equals(Set.of("now", parameter))) {
      return Optional.empty();
    }
    // A parameter in a second place would apply to all values.
    FlowQuery without = query.withWhere(without(query.where(), lists.get(0)));
    if (without.parameters().contains(parameter)) {
      return Optional.empty();
    }
    int[] keys = new int[query.groupBy().size()];
    for (int k = 0; k < keys.length; k++) {
      keys[k] = column(query, query.groupBy().get(k));
      if (keys[k] < 0 || query.groupBy().get(k).kind() == ValueKind.DOUBLE) {
        return Optional.empty(); // the order of rows could not be restored
      }
    }
    boolean isFirst = keys.length > 0 && query.groupBy().get(0).equals(lists.get(0).value());
    return isFirst
        ? Optional.of(new ListedGroups(query, without, parameter, keys))
        : Optional.empty();
  }

  private static List<Expression> terms(@Nullable Expression where) {
    return where instanceof Expression.And and
        ? and.terms()
        : where == null ? List.of() : List.of(where);
  }

  private static @Nullable Expression without(@Nullable Expression where, Expression term) {
    List<Expression> left = new ArrayList<>(terms(where));
    left.remove(term);
    return left.isEmpty() ? null : new Expression.And(left);
  }

  private static int column(FlowQuery query, Expression key) {
    List<SelectItem> select = query.select();
    for (int c = 0; c < select.size(); c++) {
      if (select.get(c).what().equals(key)) {
        return c;
      }
    }
    return -1;
  }

  public String parameter() {
    return parameter;
  }

  /** The answer's column with the value of the list. */
  public int keyColumn() {
    return keyColumns[0];
  }

  /** The answer's columns that order its rows, ascending, NULLs last. */
  public int[] keyColumns() {
    return keyColumns.clone();
  }

  /** Equality is known here for values of this kind alone. */
  public @Nullable ValueKind keyKind() {
    return query.select().get(keyColumn()).what().kind();
  }

  public FlowQuery bind(Parameters parameters, List<Value> values) {
    return query.bind(parameters.with(parameter, values));
  }

  /** Without the list (of {@code parameters}, too): equal queries give the same for every value. */
  public FlowQuery rest(Parameters parameters) {
    FlowQuery bound = without.bind(parameters);
    List<Expression> terms = terms(bound.where()).stream().map(ListedGroups::folded).toList();
    return bound.withWhere(terms.isEmpty() ? null : new Expression.And(terms));
  }

  /** Folds computed times: they are equal if their values are. */
  private static Expression folded(Expression term) {
    return term instanceof Expression.Comparison of
        ? new Expression.Comparison(
            of.operator(), ConstantFolding.of(of.left()), ConstantFolding.of(of.right()))
        : term;
  }
}
