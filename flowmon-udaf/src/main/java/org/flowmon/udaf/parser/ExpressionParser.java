package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.Expression.And;
import org.flowmon.udaf.query.Expression.ArithmeticOperator;
import org.flowmon.udaf.query.Expression.ComparisonOperator;
import org.flowmon.udaf.query.Expression.IsNull;
import org.flowmon.udaf.query.Expression.IsTruth;
import org.flowmon.udaf.query.Expression.Literal;
import org.flowmon.udaf.query.Expression.Not;
import org.flowmon.udaf.query.Expression.Or;
import org.flowmon.udaf.query.Expression.Parameter;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TypeException;
import org.flowmon.udaf.query.Typing;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;
import org.flowmon.udaf.value.Value;
import org.jspecify.annotations.Nullable;

/**
 * Recursive descent. From loose to tight: OR, AND, NOT, comparison with IS, IN and BETWEEN, {@code
 * |}, {@code &}, + and -, * / and %, sign.
 */
final class ExpressionParser {
  /** The deepest nesting of expressions, so that no query overflows a stack. */
  static final int MAX_DEPTH = 100;

  /** The most operators, functions and the like of one SELECT. */
  static final int MAX_OPERATORS = 2000;

  private final TokenStream tokens;
  private final ColumnSource columns;
  private final FunctionParser functions;
  private final Subqueries nesting;
  private final boolean takesQueries;
  // In the text, for errors found later.
  private final IdentityHashMap<Expression, Integer> starts = new IdentityHashMap<>();
  private final ExpressionSizes extents = new ExpressionSizes();
  private int depth;
  private boolean overGroups;
  private ItemNames names = ItemNames.NONE;
  // For calls of functions.
  private Function<Token, @Nullable Expression> items = name -> null;

  /** Within {@code depth}. */
  ExpressionParser(TokenStream tokens, ColumnSource columns, Subqueries nesting, int depth) {
    this(tokens, columns, nesting, depth, true);
  }

  /** Without subqueries. */
  ExpressionParser(TokenStream tokens, ColumnSource columns) {
    this(tokens, columns, new Subqueries(tokens, QueryScope.FLOWS), 0, false);
  }

  private ExpressionParser(
      TokenStream tokens,
      ColumnSource columns,
      Subqueries nesting,
      int depth,
      boolean takesQueries) {
    this.tokens = tokens;
    this.columns = columns;
    this.takesQueries = takesQueries;
    this.nesting = nesting;
    this.depth = depth;
    this.functions = new FunctionParser(tokens, this);
  }

  /** Parses an expression over a row or, with aggregates, over a group: of SELECT or ORDER BY. */
  Expression selected() {
    return within(true, ItemNames.NONE, this::parse);
  }

  Expression having(ItemNames itemNames) {
    return within(true, itemNames, this::parseCondition);
  }

  Expression argument() {
    return within(false, ItemNames.NONE, this::parse);
  }

  private Expression within(boolean groups, ItemNames meant, Supplier<Expression> parse) {
    boolean groupsBefore = overGroups;
    ItemNames namesBefore = names;
    int depthBefore = depth;
    overGroups = groups;
    names = meant;
    try {
      return parse.get();
    } finally {
      overGroups = groupsBefore;
      names = namesBefore;
      depth = depthBefore;
    }
  }

  /** For calls of functions; null if a name is no item's. */
  void setItems(Function<Token, @Nullable Expression> meant) {
    items = meant;
  }

  /** Null if there is none so far. */
  @Nullable Expression item(Token name) {
    return items.apply(name);
  }

  ColumnSource columns() {
    return columns;
  }

  boolean isOverGroups() {
    return overGroups;
  }

  Subqueries nesting() {
    return nesting;
  }

  Expression parse() {
    int start = tokens.peek().start();
    if (++depth > MAX_DEPTH) {
      throw tokens.error("an expression nests deeper than " + MAX_DEPTH, start);
    }
    Expression first = and();
    if (tokens.peek().isWord("OR")) {
      List<Expression> terms = new ArrayList<>();
      terms.add(condition(first, start));
      while (tokens.takeWord("OR")) {
        terms.add(condition(and(), start));
      }
      first = at(start, new Or(terms));
    }
    depth--;
    return first;
  }

  private Expression and() {
    int start = tokens.peek().start();
    Expression first = not();
    if (!tokens.peek().isWord("AND")) {
      return first;
    }
    List<Expression> terms = new ArrayList<>();
    terms.add(condition(first, start));
    while (tokens.takeWord("AND")) {
      terms.add(condition(not(), start));
    }
    return at(start, new And(terms));
  }

  private Expression not() {
    int start = tokens.peek().start();
    if (!tokens.takeWord("NOT")) {
      return predicate();
    }
    if (++depth > MAX_DEPTH) {
      throw tokens.error("an expression nests deeper than " + MAX_DEPTH, start);
    }
    Expression term = condition(not(), start);
    depth--;
    return at(start, new Not(term));
  }

  Expression parseCondition() {
    int start = tokens.peek().start();
    return condition(parse(), start);
  }

  private Expression condition(Expression term, int start) {
    return typed(start, () -> Typing.requireBoolean(term));
  }

  private Expression predicate() {
    int start = tokens.peek().start();
    Expression left = bitOr();
    while (true) {
      Expression value = left;
      ComparisonOperator operator = comparisonOperator();
      if (operator != null) {
        Expression right = bitOr();
        left = typed(start, () -> Typing.comparison(operator, value, right));
      } else if (tokens.takeWord("IS")) {
        left = at(start, is(value, start));
      } else if (tokens.peek().isWord("NOT")
          && (tokens.peek(1).isWord("IN")
              || tokens.peek(1).isWord("BETWEEN")
              || tokens.peek(1).isWord("LIKE"))) {
        tokens.next();
        left = at(start, new Not(membership(value, start)));
      } else if (tokens.peek().isWord("IN")
          || tokens.peek().isWord("BETWEEN")
          || tokens.peek().isWord("LIKE")) {
        left = membership(value, start);
      } else {
        return left;
      }
    }
  }

  private @Nullable ComparisonOperator comparisonOperator() {
    for (ComparisonOperator operator : ComparisonOperator.values()) {
      if (tokens.takeSymbol(operator.sql())) {
        return operator;
      }
    }
    return null;
  }

  private Expression is(Expression term, int start) {
    boolean negated = tokens.takeWord("NOT");
    if (tokens.takeWord("DISTINCT")) {
      tokens.expectWord("FROM");
      Expression other = bitOr();
      Expression same = typed(start, () -> Typing.isSame(term, other));
      return negated ? same : new Not(same);
    }
    Expression test;
    if (tokens.takeWord("NULL")) {
      test = new IsNull(term);
    } else if (tokens.takeWord("TRUE")) {
      test = new IsTruth(condition(term, start), true);
    } else if (tokens.takeWord("FALSE")) {
      test = new IsTruth(condition(term, start), false);
    } else {
      throw tokens.expected("NULL, TRUE, FALSE or DISTINCT FROM");
    }
    return negated ? new Not(test) : test;
  }

  private Expression membership(Expression value, int start) {
    if (tokens.takeWord("BETWEEN")) {
      Expression low = bitOr();
      tokens.expectWord("AND");
      Expression high = bitOr();
      return typed(
          start,
          () ->
              new And(
                  List.of(
                      Typing.comparison(ComparisonOperator.GREATER_OR_EQUAL, value, low),
                      Typing.comparison(ComparisonOperator.LESS_OR_EQUAL, value, high))));
    }
    if (tokens.takeWord("LIKE")) {
      Token pattern = tokens.peek();
      if (pattern.kind() != Token.Kind.TEXT) {
        throw tokens.expected("a pattern in single quotes, such as 'www.%', after LIKE");
      }
      tokens.next();
      return typed(start, () -> Typing.like(value, pattern.text()));
    }
    tokens.expectWord("IN");
    List<Expression> items = new ArrayList<>();
    if (tokens.peek().isSymbol("(") && tokens.peek(1).isWord("SELECT")) {
      return inQuery(value, start);
    } else if (tokens.takeSymbol("(")) {
      // The list is empty if a parameter was bound to no values.
      if (!tokens.takeSymbol(")")) {
        do {
          items.add(bitOr());
        } while (tokens.takeSymbol(","));
        tokens.expectSymbol(")");
      }
    } else if (tokens.peek().kind() == Token.Kind.TEXT
        || tokens.peek().kind() == Token.Kind.PARAMETER) {
      items.add(primary());
    } else {
      throw tokens.expected("'(' or a prefix such as '192.0.2.0/24'");
    }
    return typed(start, () -> Typing.in(value, items));
  }

  private Expression inQuery(Expression value, int start) {
    tokens.next();
    int query = tokens.peek().start();
    if (!takesQueries) {
      throw tokens.error("a condition alone takes no queries: expected constants in IN", query);
    }
    Query of = nesting.query(depth);
    tokens.expectSymbol(")");
    try {
      return at(start, Typing.inQuery(value, of));
    } catch (TypeException e) {
      throw tokens.error(String.valueOf(e.getMessage()), query);
    }
  }

  private Expression bitOr() {
    int start = tokens.peek().start();
    Expression left = bitAnd();
    while (tokens.takeSymbol("|")) {
      left = arithmetic(start, ArithmeticOperator.BIT_OR, left, bitAnd());
    }
    return left;
  }

  private Expression bitAnd() {
    int start = tokens.peek().start();
    Expression left = sum();
    while (tokens.takeSymbol("&")) {
      left = arithmetic(start, ArithmeticOperator.BIT_AND, left, sum());
    }
    return left;
  }

  private Expression sum() {
    int start = tokens.peek().start();
    Expression left = product();
    while (true) {
      if (tokens.takeSymbol("+")) {
        left = arithmetic(start, ArithmeticOperator.ADD, left, product());
      } else if (tokens.takeSymbol("-")) {
        left = arithmetic(start, ArithmeticOperator.SUBTRACT, left, product());
      } else {
        return left;
      }
    }
  }

  private Expression product() {
    int start = tokens.peek().start();
    Expression left = signed();
    while (true) {
      if (tokens.takeSymbol("*")) {
        left = arithmetic(start, ArithmeticOperator.MULTIPLY, left, signed());
      } else if (tokens.takeSymbol("/")) {
        left = arithmetic(start, ArithmeticOperator.DIVIDE, left, signed());
      } else if (tokens.takeSymbol("%")) {
        left = arithmetic(start, ArithmeticOperator.REMAINDER, left, signed());
      } else {
        return left;
      }
    }
  }

  private Expression arithmetic(
      int start, ArithmeticOperator operator, Expression left, Expression right) {
    return typed(start, () -> Typing.arithmetic(operator, left, right));
  }

  private Expression signed() {
    int start = tokens.peek().start();
    if (!tokens.takeSymbol("-")) {
      return primary();
    }
    Token token = tokens.peek();
    if (token.kind() == Token.Kind.WHOLE_NUMBER) {
      return at(start, wholeNumber(tokens.next(), "-" + token.text()));
    }
    if (token.kind() == Token.Kind.DECIMAL_NUMBER) {
      return at(start, new Literal(Value.ofDouble(-Double.parseDouble(tokens.next().text()))));
    }
    if (++depth > MAX_DEPTH) {
      throw tokens.error("an expression nests deeper than " + MAX_DEPTH, start);
    }
    Expression operand = signed();
    depth--;
    return arithmetic(start, ArithmeticOperator.MULTIPLY, operand, new Literal(Value.ofLong(-1)));
  }

  private Expression primary() {
    Token token = tokens.peek();
    int start = token.start();
    Expression primary =
        switch (token.kind()) {
          case WHOLE_NUMBER -> wholeNumber(tokens.next(), token.text());
          case DECIMAL_NUMBER ->
              new Literal(Value.ofDouble(Double.parseDouble(tokens.next().text())));
          case TEXT -> new Literal(Value.ofText(tokens.next().text()));
          case PARAMETER -> parameter(tokens.next(), token.text());
          case QUOTED_NAME -> column(tokens.next());
          case WORD -> functions.word();
          case SYMBOL, END -> parenthesized();
        };
    return at(start, primary);
  }

  Parameter parameter(Token token, String name) {
    if (!columns.takesParameters()) {
      throw tokens.error(
          String.format(
              "a condition over the rows of %s takes no parameters, found %s",
              columns.title(), token.shown()),
          token.start());
    }
    return nesting.scope().parameter(token, name, tokens);
  }

  private Expression parenthesized() {
    if (!tokens.takeSymbol("(")) {
      throw tokens.expected("an expression");
    }
    Expression inner = parse();
    tokens.expectSymbol(")");
    return inner;
  }

  private Literal wholeNumber(Token token, String digits) {
    try {
      return new Literal(Value.ofLong(Long.parseLong(digits)));
    } catch (NumberFormatException e) {
      throw tokens.error("expected a whole number of 64 bits, found " + digits, token.start());
    }
  }

  Expression column(Token name) {
    boolean isQualified = columns.hasTables() && tokens.peek().isSymbol(".");
    Expression meant = isQualified ? null : names.meaning().apply(name);
    if (meant != null) {
      starts.put(meant, name.start());
      return meant;
    }
    if (isQualified) {
      tokens.next();
      return qualified(name);
    }
    Expression column = columns.column(name);
    if (column == null) {
      String several = columns.several(name);
      if (several != null) {
        throw tokens.error(several, name.start());
      }
      if (!columns.hasTables() && tokens.peek().isSymbol(".")) {
        throw tokens.error(
            String.format(
                "expected a column of %s alone, found '%s.'; only queries in parentheses have"
                    + " names: (SELECT …) AS %s",
                columns.title(), name.typed(), name.typed()),
            name.start());
      }
      throw tokens.error(columns.unknown(name, names.all()), name.start());
    }
    return column;
  }

  private Expression qualified(Token table) {
    Token name = tokens.peek();
    if (name.kind() != Token.Kind.WORD && name.kind() != Token.Kind.QUOTED_NAME) {
      throw tokens.expected("a column of " + table.typed());
    }
    tokens.next();
    ColumnSource.OfSources sources = (ColumnSource.OfSources) columns;
    if (!sources.hasTable(table)) {
      throw tokens.error(sources.noTable(table), table.start());
    }
    Expression column = sources.column(table, name);
    if (column == null) {
      throw tokens.error(sources.noColumn(table, name), name.start());
    }
    return column;
  }

  /** If its parts do not fit, the error has the culprit's place. */
  Expression typed(int start, Supplier<Expression> build) {
    try {
      return at(start, build.get());
    } catch (TypeException e) {
      throw tokens.error(String.valueOf(e.getMessage()), startOf(e.culprit(), start));
    }
  }

  int startOf(Expression expression, int otherwise) {
    return starts.getOrDefault(expression, otherwise);
  }

  void checkOperators(FlowQuery query, int start) {
    if (extents.operators(query) > MAX_OPERATORS) {
      throw tooManyOperators(start);
    }
  }

  private QueryException tooManyOperators(int start) {
    return tokens.error(
        "a SELECT has at most "
            + MAX_OPERATORS
            + " operators, with those that COALESCE, BETWEEN, CASE and names of items repeat",
        start);
  }

  private Expression at(int start, Expression expression) {
    starts.putIfAbsent(expression, start);
    // Its text has parentheses around each part; the source may have none: a + b + c.
    if (extents.depth(expression) > MAX_DEPTH) {
      throw tokens.error("an expression nests deeper than " + MAX_DEPTH, start);
    }
    if (extents.operators(expression) > MAX_OPERATORS) {
      throw tooManyOperators(start);
    }
    return expression;
  }
}
