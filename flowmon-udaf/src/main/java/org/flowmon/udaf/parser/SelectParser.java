package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.Expression.Derived;
import org.flowmon.udaf.query.Expression.Enriched;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Named;
import org.flowmon.udaf.query.Expression.RowNumber;
import org.flowmon.udaf.query.ExpressionParts;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.LimitBy;
import org.flowmon.udaf.query.OrderItem;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.query.TableQuery.Source;
import org.flowmon.udaf.text.Keywords;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;
import org.flowmon.udaf.value.ValueKind;
import org.jspecify.annotations.Nullable;

/** Parses one SELECT, and its subqueries by {@link Subqueries}. */
final class SelectParser {
  private final TokenStream tokens;
  private final boolean namesColumns;
  private final int start;
  private final List<SelectItem> select = new ArrayList<>();
  private final List<Integer> selectStarts = new ArrayList<>();
  private final List<Expression> groupBy = new ArrayList<>();
  private final List<OrderItem> orderBy = new ArrayList<>();
  private final List<Integer> orderStarts = new ArrayList<>();
  private final List<Source> sources; // empty over flows
  private final int afterSources;
  private final ColumnSource columns;
  private final ExpressionParser expressions;
  private final GroupParser groups;
  private @Nullable LimitBy limitBy;
  private long limit = -1;
  private long offset;

  /**
   * At the current token, within the depth of the enclosing expression. Reads SELECT and, ahead,
   * the sources, as FROM has the columns of earlier names.
   */
  SelectParser(TokenStream tokens, Subqueries nesting, int depth) {
    this(tokens, nesting, depth, true);
  }

  /** {@code namesColumns}: not of a SELECT whose rows another one names. */
  SelectParser(TokenStream tokens, Subqueries nesting, int depth, boolean namesColumns) {
    this.namesColumns = namesColumns;
    this.tokens = tokens;
    this.start = tokens.peek().start();
    tokens.expectWord("SELECT");
    int items = tokens.place();
    this.sources = sources(tokens, nesting, depth);
    this.afterSources = tokens.place();
    tokens.returnTo(items);
    this.columns =
        sources.isEmpty() ? new ColumnSource.OfFlows() : new ColumnSource.OfSources(sources);
    this.expressions = new ExpressionParser(tokens, columns, nesting, depth);
    this.groups = new GroupParser(tokens, expressions, select, groupBy);
  }

  private static List<Source> sources(TokenStream tokens, Subqueries nesting, int depth) {
    int from = tokens.placeOfFrom();
    if (from >= 0) {
      tokens.returnTo(from + 1);
    }
    return from >= 0 && (tokens.peek().isSymbol("(") || !nesting.scope().hasFlows())
        ? new FromParser(tokens, nesting, depth).sources()
        : List.of();
  }

  /** Parses the query up to the first token that is none of its clauses. */
  Query query() {
    int distinct = tokens.peek().isWord("DISTINCT") ? tokens.next().start() : -1;
    if (tokens.peek().isSymbol("*")) {
      selectAll(tokens.next().start());
    } else {
      do {
        selectItem();
      } while (tokens.takeSymbol(","));
    }
    if (!tokens.peek().isWord("FROM")) {
      throw tokens.expected("',' or FROM");
    }
    tokens.next();
    if (sources.isEmpty()) {
      expectFlows();
    } else {
      tokens.returnTo(afterSources);
    }
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
    limits();
    FlowQuery query = new FlowQuery(select, where, groupBy, having, orderBy, limitBy, limit);
    expressions.checkOperators(query, start);
    checkRowNumbers(query);
    if (tokens.isEndOfQuery()) {
      checkGroups(query); // otherwise the next token is the error
    }
    if (!sources.isEmpty()) {
      return new TableQuery(sources, query, offset);
    }
    return offset == 0 ? query : TableQuery.after(offset, query);
  }

  /** Of SELECT DISTINCT: the items are the keys. */
  private void groupByItems(int start) {
    if (tokens.peek().isWord("GROUP")) {
      throw tokens.error("DISTINCT and GROUP BY: expected one of them", start);
    }
    for (int i = 0; i < select.size(); i++) {
      Expression key = select.get(i).what();
      if (ExpressionParts.hasAggregate(key)) {
        throw tokens.error(
            "aggregates over distinct rows are not supported: expected a column or an expression"
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
    Token next = tokens.peek();
    if (next.isSymbol(",") || next.isWord("JOIN") || FromParser.beginsJoin(next)) {
      throw tokens.error(
          "flows itself is not joined: expected queries in parentheses, (SELECT … FROM flows …) AS"
              + " a JOIN (SELECT …) AS b ON a.x = b.y",
          next.start());
    }
  }

  private void selectAll(int start) {
    if (sources.isEmpty()) {
      for (FlowColumn column : FlowColumn.all()) {
        select.add(new SelectItem(column.sqlName(), new Column(column)));
        selectStarts.add(start);
      }
    }
    sources.forEach(source -> selectAll(source, start));
  }

  private void selectAll(Source source, int start) {
    for (Named column : source.query().columns(source.name())) {
      add(new SelectItem(column.name(), column), start);
    }
  }

  private void add(SelectItem item, int start) {
    if (select.size() == Query.MAX_ITEMS) {
      throw tokens.error("a SELECT has at most " + Query.MAX_ITEMS + " items", start);
    }
    for (SelectItem other : select) {
      if (other.name().equals(item.name()) && !namesColumns) {
        select.add(new SelectItem(item.name() + " " + select.size(), item.what()));
        selectStarts.add(start);
        return;
      } else if (other.name().equals(item.name())) {
        throw tokens.error(
            "two columns of the result are named '"
                + item.name()
                + "': expected AS and another name",
            start);
      }
    }
    select.add(item);
    selectStarts.add(start);
  }

  private void selectItem() {
    int start = tokens.peek().start();
    boolean isAllOfOne = tokens.peek(1).isSymbol(".") && tokens.peek(2).isSymbol("*");
    if (isAllOfOne && columns instanceof ColumnSource.OfSources all) {
      Token of = tokens.next();
      tokens.next();
      tokens.next();
      if (!all.hasTable(of)) {
        throw tokens.error(all.noTable(of), start);
      }
      sources.stream()
          .filter(source -> ColumnSource.isNamed(of, source.name()))
          .forEach(source -> selectAll(source, start));
      return;
    }
    boolean isNumber =
        tokens.peek().isWord("ROW_NUMBER") && tokens.peek(1).isSymbol("(") && !sources.isEmpty();
    Expression what = isNumber ? rowNumber() : expressions.selected();
    String text = tokens.text(start, tokens.peek().start());
    String name = text.toLowerCase(Locale.ROOT);
    if (what instanceof Column column) {
      name = column.column().sqlName();
    } else if (what instanceof Enriched column) {
      name = column.column().sqlName();
    } else if (what instanceof Derived column) {
      name = column.column().sqlName();
    } else if (what instanceof Named column) {
      name = column.name();
    }
    boolean as = tokens.takeWord("AS");
    Token alias = tokens.peek();
    if (alias.kind() == Token.Kind.QUOTED_NAME) {
      name = tokens.next().text();
    } else if (alias.kind() == Token.Kind.WORD && !Keywords.contains(alias.text())) {
      name = tokens.next().text().toLowerCase(Locale.ROOT);
    } else if (as) {
      throw tokens.expected("a name after AS");
    }
    add(new SelectItem(name, what), start);
  }

  private Expression rowNumber() {
    tokens.next();
    tokens.expectSymbol("(");
    tokens.expectSymbol(")");
    tokens.expectWord("OVER");
    tokens.expectSymbol("(");
    if (!tokens.takeSymbol(")")) {
      throw tokens.expected("')': ROW_NUMBER() OVER () is the row's place in the query's order");
    }
    return new RowNumber();
  }

  /** The rows are numbered when all else is done. */
  private void checkRowNumbers(FlowQuery query) {
    List<Expression> before = new ArrayList<>(query.groupBy());
    query.orderBy().forEach(item -> before.add(item.what()));
    if (query.having() != null) {
      before.add(query.having());
    }
    if (before.stream().anyMatch(SelectParser::hasRowNumber)) {
      throw tokens.error(
          "ROW_NUMBER() OVER () numbers the rows of the answer: expected it in no other clause",
          start);
    }
  }

  private static boolean hasRowNumber(Expression expression) {
    return expression instanceof RowNumber
        || ExpressionParts.of(expression).stream().anyMatch(SelectParser::hasRowNumber);
  }

  private Expression groupItem() {
    int start = tokens.peek().start();
    SelectItem named = aliasedItem(false);
    if (named != null && ExpressionParts.hasAggregate(named.what())) {
      throw tokens.error(
          "'" + named.name() + "' has an aggregate: expected a key without one in GROUP BY", start);
    }
    Expression key = named == null ? expressions.parse() : named.what();
    if (key instanceof Literal) {
      throw tokens.error(
          "expected a column, an alias or an expression to group by, found a constant", start);
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
    if (named == null && what instanceof Literal place && place.kind() == ValueKind.LONG) {
      what = item(place.value().low(), start).what();
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
    if (!(what instanceof Literal)) { // a constant orders nothing
      orderBy.add(new OrderItem(what, descending, nullsFirst));
      orderStarts.add(start);
    }
  }

  /** ORDER BY 2 is by the second item. */
  private SelectItem item(long place, int start) {
    if (place < 1 || place > select.size()) {
      throw tokens.error(
          "ORDER BY a number is by the item of that place: expected 1 … " + select.size(), start);
    }
    return select.get((int) place - 1);
  }

  /** A bare alias. As in SQL, GROUP BY prefers a column of that name, ORDER BY the alias. */
  private @Nullable SelectItem aliasedItem(boolean aliasFirst) {
    Token name = tokens.peek();
    boolean bare = name.kind() == Token.Kind.WORD || name.kind() == Token.Kind.QUOTED_NAME;
    Token after = tokens.peek(1);
    boolean alone =
        after.kind() == Token.Kind.END
            || after.isSymbol(",")
            || after.isSymbol(";")
            || after.isSymbol(")")
            || (after.kind() == Token.Kind.WORD
                && Set.of("ASC", "DESC", "NULLS", "LIMIT", "OFFSET", "HAVING", "ORDER", "UNION")
                    .contains(after.text()));
    if (!bare || !alone || (!aliasFirst && columns.column(name) != null)) {
      return null;
    }
    SelectItem item = groups.itemNamed(name);
    if (item != null) {
      tokens.next();
    }
    return item;
  }

  private void limits() {
    limit = tokens.takeWord("LIMIT") ? rows() : -1;
    if (limit >= 0 && tokens.peek().isWord("BY")) {
      limitBy = limitBy(limit);
      limit = tokens.takeWord("LIMIT") ? rows() : -1;
    }
    if (tokens.takeWord("OFFSET")) {
      offset = rows();
      limit = limit < 0 && tokens.takeWord("LIMIT") ? rows() : limit; // in either order
    }
  }

  private LimitBy limitBy(long rows) {
    int start = tokens.next().start();
    if (groupBy.isEmpty()) {
      throw tokens.error(
          "LIMIT … BY keeps some groups of each key, and there are none: expected GROUP BY", start);
    } else if (rows == 0) {
      throw tokens.error("LIMIT 0 BY keeps nothing: expected 1 or more", start);
    }
    List<Expression> keys = new ArrayList<>();
    do {
      int at = tokens.peek().start();
      SelectItem named = aliasedItem(false);
      Expression key = named == null ? expressions.parse() : named.what();
      if (!groupBy.contains(key)) {
        throw tokens.error(
            "expected one of the keys of GROUP BY, "
                + groupBy.stream().map(Expression::toString).collect(Collectors.joining(", ")),
            at);
      }
      keys.add(key);
    } while (tokens.takeSymbol(","));
    return new LimitBy(rows, keys);
  }

  private long rows() {
    Token number = tokens.peek();
    if (number.kind() == Token.Kind.WHOLE_NUMBER && number.text().length() <= 18) {
      return Long.parseLong(tokens.next().text());
    }
    throw tokens.expected("a number of rows");
  }

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
