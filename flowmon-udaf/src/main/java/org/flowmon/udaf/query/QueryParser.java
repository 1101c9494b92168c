package org.flowmon.udaf.query;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Literal;

/**
 * Parses the query dialect of {@code docs/query.md}. Written by hand: it accepts exactly the
 * dialect, knows the place of every part, and runs in linear time whatever it is given.
 */
public final class QueryParser {
  /** What may be meant where a word stands at the end. */
  private static final List<String> CLAUSES = List.of("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT");

  private final TokenStream tokens;
  private final ExpressionParser expressions;
  private final GroupParser groups;
  private final List<SelectItem> select = new ArrayList<>();
  private final List<Integer> selectStarts = new ArrayList<>();
  private final List<Expression> groupBy = new ArrayList<>();
  private final List<OrderItem> orderBy = new ArrayList<>();
  private final List<Integer> orderStarts = new ArrayList<>();

  private QueryParser(String sql, ColumnSource columns) {
    this.tokens = new TokenStream(sql);
    this.expressions = new ExpressionParser(tokens, columns);
    this.groups = new GroupParser(tokens, expressions, select, groupBy);
  }

  /**
   * Parses one SELECT over {@code flows}.
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static FlowQuery parse(String sql) {
    return new QueryParser(sql, new ColumnSource.OfFlows()).query();
  }

  /**
   * Parses a filter alone, as after WHERE.
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static Expression parseCondition(String sql) {
    return parseCondition(sql, new ColumnSource.OfFlows());
  }

  /**
   * Parses a condition over the rows of a result table.
   *
   * @param columns those of the table
   * @param title what errors call the table: {@code the report}
   * @throws QueryException saying what was found where, and what was expected
   */
  public static Expression parseCondition(
      String sql, List<Expression.Named> columns, String title) {
    return parseCondition(sql, new ColumnSource.OfTable(columns, title));
  }

  private static Expression parseCondition(String sql, ColumnSource columns) {
    QueryParser parser = new QueryParser(sql, columns);
    Expression condition = parser.expressions.parseCondition();
    parser.expectEnd("an operator or the end of the condition");
    return condition;
  }

  private FlowQuery query() {
    tokens.expectWord("SELECT");
    int distinct = tokens.peek().isWord("DISTINCT") ? tokens.next().start() : -1;
    if (tokens.takeSymbol("*")) {
      selectAll();
    } else {
      do {
        selectItem();
      } while (tokens.takeSymbol(","));
    }
    if (!tokens.peek().isWord("FROM")) {
      throw tokens.expected("',' or FROM");
    }
    tokens.next();
    expectFlows();
    Expression where = tokens.takeWord("WHERE") ? expressions.parseCondition() : null;
    if (distinct >= 0) {
      groupByItems(distinct);
    }
    if (tokens.takeWord("GROUP")) {
      tokens.expectWord("BY");
      do {
        groupBy.add(groupItem());
      } while (tokens.takeSymbol(","));
    }
    Expression having = tokens.peek().isWord("HAVING") ? having(distinct) : null;
    if (tokens.takeWord("ORDER")) {
      tokens.expectWord("BY");
      do {
        orderItem();
      } while (tokens.takeSymbol(","));
    }
    long limit = tokens.takeWord("LIMIT") ? limit() : -1;
    tokens.takeSymbol(";");
    expectEnd("WHERE, GROUP BY, HAVING, ORDER BY, LIMIT or the end of the query");
    FlowQuery query = new FlowQuery(select, where, groupBy, having, orderBy, limit);
    checkGroups(query);
    return query;
  }

  /** SELECT DISTINCT: the items are the keys. */
  private void groupByItems(int start) {
    if (tokens.peek().isWord("GROUP")) {
      throw tokens.error("DISTINCT and GROUP BY: expected one of them", start);
    }
    for (int i = 0; i < select.size(); i++) {
      Expression key = select.get(i).what();
      if (ExpressionParts.hasAggregate(key)) {
        throw tokens.error(
            "aggregates over distinct rows are not built yet: expected a column or an expression"
                + " after DISTINCT",
            selectStarts.get(i));
      } else if (!(key instanceof Literal)) {
        groupBy.add(key);
      }
    }
    if (groupBy.isEmpty()) {
      throw tokens.error("expected a column or an expression after DISTINCT", start);
    }
  }

  private void expectFlows() {
    Token table = tokens.peek();
    boolean named = table.kind() == Token.Kind.WORD || table.kind() == Token.Kind.QUOTED_NAME;
    if (!named || !table.text().toLowerCase(Locale.ROOT).equals("flows")) {
      throw table.kind() == Token.Kind.END
          ? tokens.expected("the table flows")
          : tokens.error(
              "no table " + table.shown() + ": expected flows, the only one", table.start());
    }
    tokens.next();
  }

  private void expectEnd(String expected) {
    Token token = tokens.peek();
    if (token.kind() != Token.Kind.END) {
      String nearest =
          token.kind() == Token.Kind.WORD ? Names.nearest(token.typed(), CLAUSES) : null;
      throw tokens.error(
          "expected "
              + expected
              + ", found "
              + token.shown()
              + (nearest == null ? "" : "; did you mean " + nearest + "?"),
          token.start());
    }
  }

  private void selectAll() {
    for (FlowColumn column : FlowColumn.all()) {
      select.add(new SelectItem(column.sqlName(), new Column(column)));
      selectStarts.add(tokens.peek().start());
    }
  }

  private void selectItem() {
    int start = tokens.peek().start();
    Expression what = expressions.selected();
    String text = tokens.text(start, tokens.peek().start());
    String name =
        what instanceof Column column ? column.column().sqlName() : text.toLowerCase(Locale.ROOT);
    boolean as = tokens.takeWord("AS");
    Token alias = tokens.peek();
    if (alias.kind() == Token.Kind.QUOTED_NAME) {
      name = tokens.next().text();
    } else if (alias.kind() == Token.Kind.WORD && !Keywords.contains(alias.text())) {
      name = tokens.next().text().toLowerCase(Locale.ROOT);
    } else if (as) {
      throw tokens.expected("a name after AS");
    }
    for (SelectItem item : select) {
      if (item.name().equals(name)) {
        throw tokens.error(
            "two columns of the result are named '" + name + "': expected AS and another name",
            start);
      }
    }
    select.add(new SelectItem(name, what));
    selectStarts.add(start);
  }

  private Expression groupItem() {
    int start = tokens.peek().start();
    SelectItem named = aliasedItem(false);
    Expression key;
    if (named == null) {
      key = expressions.parse();
      if (key instanceof Literal) {
        throw tokens.error(
            "expected a column, an alias or an expression to group by, found a constant", start);
      }
    } else {
      key = named.what();
    }
    if (ExpressionParts.hasAggregate(key)) {
      throw tokens.error(
          "'" + named.name() + "' has an aggregate, which groups cannot be made by", start);
    }
    return key;
  }

  private Expression having(int distinct) {
    int start = tokens.next().start();
    if (distinct >= 0) {
      throw tokens.error("DISTINCT and HAVING: expected one of them", distinct);
    }
    return groups.having(start);
  }

  private void orderItem() {
    int start = tokens.peek().start();
    SelectItem named = aliasedItem(true);
    Expression what = named == null ? expressions.selected() : named.what();
    if (what instanceof Literal) {
      throw tokens.error(
          "expected a column, an alias or an aggregate to order by, found a constant", start);
    }
    boolean descending = tokens.takeWord("DESC");
    if (!descending) {
      tokens.takeWord("ASC");
    }
    boolean nullsFirst = false;
    if (tokens.takeWord("NULLS")) {
      nullsFirst = tokens.takeWord("FIRST");
      if (!nullsFirst && !tokens.takeWord("LAST")) {
        throw tokens.expected("FIRST or LAST");
      }
    }
    orderBy.add(new OrderItem(what, descending, nullsFirst));
    orderStarts.add(start);
  }

  /**
   * Takes a bare name that is an alias of the select list. In GROUP BY a column of that name comes
   * first, in ORDER BY the alias, as in SQL.
   */
  private SelectItem aliasedItem(boolean aliasFirst) {
    Token name = tokens.peek();
    boolean bare = name.kind() == Token.Kind.WORD || name.kind() == Token.Kind.QUOTED_NAME;
    Token after = tokens.peek(1);
    boolean alone =
        after.kind() == Token.Kind.END
            || after.isSymbol(",")
            || after.isSymbol(";")
            || (after.kind() == Token.Kind.WORD
                && Set.of("ASC", "DESC", "NULLS", "LIMIT", "HAVING", "ORDER")
                    .contains(after.text()));
    if (!bare || !alone || (!aliasFirst && FlowColumn.byName(name.text()) != null)) {
      return null;
    }
    SelectItem item = groups.itemNamed(name);
    if (item != null) {
      tokens.next();
    }
    return item;
  }

  private long limit() {
    Token number = tokens.peek();
    if (number.kind() == Token.Kind.WHOLE_NUMBER && number.text().length() <= 18) {
      return Long.parseLong(tokens.next().text());
    }
    throw tokens.expected("a number of rows");
  }

  /** In a grouped query items are made of keys and aggregates. */
  private void checkGroups(FlowQuery query) {
    if (!query.isAggregated()) {
      return;
    }
    for (int i = 0; i < select.size(); i++) {
      groups.check(select.get(i).what(), selectStarts.get(i), "SELECT");
    }
    for (int i = 0; i < orderBy.size(); i++) {
      groups.check(orderBy.get(i).what(), orderStarts.get(i), "ORDER BY");
    }
  }
}
