package org.flowmon.jobs.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.flowmon.udaf.constraint.ConstantFolding;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.Parameters;
import org.flowmon.udaf.value.Value;
import org.flowmon.udaf.value.ValueKind;

/**
 * A query for those groups whose first key is in a list, {@code WHERE key IN (:live.column) AND …
 * GROUP BY key, …}: what it says of a value of the list depends on no other value, so that answers
 * for parts of a list make up that for all of it. It has no texts: keys that are some have an order
 * of their own, and states and lists may be of any size. Immutable.
 */
final class ListedGroups {
  private static final String LIVE = "live.";

  private final FlowQuery query;
  private final FlowQuery without; // the list
  private final String parameter;
  private final int[] keyColumns;

  private ListedGroups(FlowQuery query, FlowQuery without, String parameter, int[] keyColumns) {
    this.query = query;
    this.without = without;
    this.parameter = parameter;
    this.keyColumns = keyColumns;
  }

  /** The query as one of this shape; null where it is none, or not known to be one. */
  static ListedGroups of(Query any) {
    if (!(any instanceof FlowQuery query)
        || !query.keepsAllGroups()
        || !query.orderBy().isEmpty()
        || !query.inQueries().isEmpty()
        || query.select().stream().anyMatch(item -> item.what().kind() == ValueKind.TEXT)) {
      return null;
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
      return null;
    }
    String parameter = ((Expression.Parameter) lists.get(0).items().get(0)).name();
    if (!query.parameters().equals(Set.of(parameter))
        && !query.parameters().equals(Set.of("now", parameter))) {
      return null;
    }
    // A parameter that stands in a second place would say something of all values.
    FlowQuery without = query.withWhere(without(query.where(), lists.get(0)));
    if (without.parameters().contains(parameter)) {
      return null;
    }
    int[] keys = new int[query.groupBy().size()];
    for (int k = 0; k < keys.length; k++) {
      keys[k] = column(query, query.groupBy().get(k));
      if (keys[k] < 0 || query.groupBy().get(k).kind() == ValueKind.DOUBLE) {
        return null; // rows could not be put in their order again
      }
    }
    boolean isFirst = keys.length > 0 && query.groupBy().get(0).equals(lists.get(0).value());
    return isFirst ? new ListedGroups(query, without, parameter, keys) : null;
  }

  private static List<Expression> terms(Expression where) {
    return where instanceof Expression.And and
        ? and.terms()
        : where == null ? List.of() : List.of(where);
  }

  private static Expression without(Expression where, Expression term) {
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

  /** The name of the parameter that the list is bound to. */
  String parameter() {
    return parameter;
  }

  /** The column of the answer that has the value of the list. */
  int keyColumn() {
    return keyColumns[0];
  }

  /** The columns of the answer by which its rows are ordered, ascending, NULLs last. */
  int[] keyColumns() {
    return keyColumns.clone();
  }

  /** The kind of the values: of others nobody knows here which of them are equal. */
  ValueKind keyKind() {
    return query.select().get(keyColumn()).what().kind();
  }

  /** The query for the groups of some values. */
  FlowQuery bind(Parameters parameters, List<Value> values) {
    return query.bind(parameters.with(parameter, values));
  }

  /**
   * The query without its list: where two are equal, they say the same of every value.
   *
   * @param parameters all but the list
   */
  FlowQuery rest(Parameters parameters) {
    FlowQuery bound = without.bind(parameters);
    List<Expression> terms = terms(bound.where()).stream().map(ListedGroups::reckoned).toList();
    return bound.withWhere(terms.isEmpty() ? null : new Expression.And(terms));
  }

  /** Times that were reckoned from others are equal where their values are. */
  private static Expression reckoned(Expression term) {
    return term instanceof Expression.Comparison of
        ? new Expression.Comparison(
            of.operator(), ConstantFolding.of(of.left()), ConstantFolding.of(of.right()))
        : term;
  }
}
