package org.flowmon.udaf.parser;

import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Derived;
import org.flowmon.udaf.query.Expression.Enriched;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;
import org.jspecify.annotations.Nullable;

/** Parses HAVING, and checks that expressions over groups consist of keys and aggregates. */
final class GroupParser {
  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final List<SelectItem> select;
  private final List<Expression> groupBy;

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
   * A name is a column if the whole condition then stands over groups; else a key of GROUP BY, an
   * item's name, or a column, in this order. So items' names do not change a condition that is
   * valid without them.
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

  private @Nullable Expression havingOfColumns() {
    try {
      Expression condition =
          expressions.having(
              new ItemNames(
                  name -> columns().column(name) == null ? itemUnlessKey(name) : null,
                  itemNames()));
      return stray(condition, new HashSet<>(groupBy)) == null ? condition : null;
    } catch (QueryException e) {
      return null; // the second attempt reports the error
    }
  }

  private ColumnSource columns() {
    return expressions.columns();
  }

  private @Nullable Expression itemUnlessKey(Token name) {
    Expression column = columns().column(name);
    SelectItem item = column != null && groupBy.contains(column) ? null : itemNamed(name);
    return item == null ? null : item.what();
  }

  private List<String> itemNames() {
    return select.stream().map(SelectItem::name).toList();
  }

  @Nullable SelectItem itemNamed(Token name) {
    String wanted =
        name.kind() == Token.Kind.WORD ? name.text().toLowerCase(Locale.ROOT) : name.text();
    return select.stream().filter(item -> item.name().equals(wanted)).findFirst().orElse(null);
  }

  /** Refuses a column outside of keys and aggregates in an expression of a clause. */
  void check(Expression what, int start, String clause) {
    Expression stray = stray(what, new HashSet<>(groupBy));
    if (stray != null) {
      AggregateCall near = aggregateOf(stray);
      throw tokens.error(
          String.format(
              "expected an aggregate or a key of GROUP BY in %s, found %s%s",
              clause, stray, near == null ? "" : "; did you mean " + near + "?"),
          stray == what ? start : expressions.startOf(stray, start));
    }
  }

  /** Outside of keys and aggregates; null if there is none. */
  private static @Nullable Expression stray(Expression expression, Set<Expression> keys) {
    if (keys.contains(expression) || expression instanceof AggregateCall) {
      return null;
    }
    if (expression instanceof Column || expression instanceof Named) {
      return expression;
    } else if (expression instanceof Derived) {
      return expression;
    } else if (expression instanceof Enriched) {
      return keys.containsAll(ExpressionParts.of(expression)) ? null : expression;
    }
    for (Expression part : ExpressionParts.of(expression)) {
      Expression stray = stray(part, keys);
      if (stray != null) {
        return stray;
      }
    }
    return null;
  }

  /** The first of the select list with this argument, null if there is none. */
  private @Nullable AggregateCall aggregateOf(Expression argument) {
    for (SelectItem item : select) {
      if (item.what() instanceof AggregateCall call && call.arguments().contains(argument)) {
        return call;
      }
    }
    return null;
  }
}
