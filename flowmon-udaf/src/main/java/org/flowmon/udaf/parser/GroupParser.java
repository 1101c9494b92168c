package org.flowmon.udaf.parser;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;

/** Parses HAVING, and checks that what stands over groups is made of keys and aggregates. */
final class GroupParser {
  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final List<SelectItem> select;
  private final List<Expression> groupBy;

  /**
   * For one query.
   *
   * @param select all items, once it is asked
   * @param groupBy all keys, once it is asked
   */
  GroupParser(
      TokenStream tokens,
      ExpressionParser expressions,
      List<SelectItem> select,
      List<Expression> groupBy) {
    this.tokens = tokens;
    this.expressions = expressions;
    this.select = select;
    this.groupBy = groupBy;
    expressions.setItems(
        name -> {
          SelectItem item = itemNamed(name);
          return item == null ? null : item.what();
        });
  }

  /**
   * The condition of HAVING. A name in it is a column where the whole condition then stands over
   * groups; else it is a key of GROUP BY, an item's name, a column, in this order. So a condition
   * that is written without items' names means the same whatever the items are named.
   *
   * @param start where HAVING begins
   */
  Expression having(int start) {
    int place = tokens.place();
    int level = expressions.nesting().level();
    Expression condition = havingOfColumns();
    if (condition == null) {
      tokens.returnTo(place);
      expressions.nesting().returnToLevel(level);
      condition = expressions.having(new ItemNames(this::itemUnlessKey, itemNames()));
    }
    if (groupBy.isEmpty()
        && !ExpressionParts.hasAggregate(condition)
        && select.stream().noneMatch(item -> ExpressionParts.hasAggregate(item.what()))) {
      throw tokens.error(
          "HAVING keeps groups, and there are none: expected GROUP BY or an aggregate; WHERE keeps"
              + " flows",
          start);
    }
    check(condition, start, "HAVING");
    return condition;
  }

  /** Null where names have to mean something else than columns. */
  private Expression havingOfColumns() {
    try {
      Expression condition =
          expressions.having(
              new ItemNames(
                  name -> columns().column(name) == null ? itemUnlessKey(name) : null,
                  itemNames()));
      return stray(condition, new HashSet<>(groupBy)) == null ? condition : null;
    } catch (QueryException e) {
      return null; // whoever parses it again finds what is wrong
    }
  }

  private ColumnSource columns() {
    return expressions.columns();
  }

  private Expression itemUnlessKey(Token name) {
    Expression column = columns().column(name);
    SelectItem item = column != null && groupBy.contains(column) ? null : itemNamed(name);
    return item == null ? null : item.what();
  }

  private List<String> itemNames() {
    return select.stream().map(SelectItem::name).toList();
  }

  /** The item of this name, null where there is none. */
  SelectItem itemNamed(Token name) {
    String wanted =
        name.kind() == Token.Kind.WORD ? name.text().toLowerCase(Locale.ROOT) : name.text();
    return select.stream().filter(item -> item.name().equals(wanted)).findFirst().orElse(null);
  }

  /**
   * Refuses an expression over groups that has a column outside keys and aggregates.
   *
   * @param start where it begins
   * @param clause where it stands
   */
  void check(Expression what, int start, String clause) {
    Expression stray = stray(what, new HashSet<>(groupBy));
    if (stray != null) {
      AggregateCall near = aggregateOf(stray);
      throw tokens.error(
          "expected an aggregate or a key of GROUP BY in "
              + clause
              + ", found "
              + stray
              + (near == null ? "" : "; did you mean " + near + "?"),
          stray == what ? start : expressions.startOf(stray, start));
    }
  }

  /** A column that is in no key and in no aggregate; null where there is none. */
  private static Expression stray(Expression expression, Set<Expression> keys) {
    if (keys.contains(expression) || expression instanceof AggregateCall) {
      return null;
    }
    if (expression instanceof Column || expression instanceof Named) {
      return expression;
    }
    for (Expression part : ExpressionParts.of(expression)) {
      Expression stray = stray(part, keys);
      if (stray != null) {
        return stray;
      }
    }
    return null;
  }

  /** The first aggregate of the select list that is of this, null where there is none. */
  private AggregateCall aggregateOf(Expression argument) {
    for (SelectItem item : select) {
      if (item.what() instanceof AggregateCall call && call.arguments().contains(argument)) {
        return call;
      }
    }
    return null;
  }
}
