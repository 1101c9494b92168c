package org.flowmon.udaf.parser;

import java.util.List;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.query.TableQuery;
import org.flowmon.udaf.text.QueryException;
import org.flowmon.udaf.text.Token;
import org.flowmon.udaf.text.TokenStream;

/**
 * Parses the dialect of {@code docs/query.md}, exactly. Handwritten: it knows the place of every
 * part, and its time grows with the text alone, as all else is bounded.
 */
public final class QueryParser {
  private QueryParser() {}

  /**
   * Parses one SELECT over {@code flows}, maybe with subqueries in IN (SELECT …).
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static FlowQuery parse(String sql) {
    TokenStream tokens = new TokenStream(sql);
    int from = tokens.fromAhead();
    Query query = query(tokens);
    if (query instanceof FlowQuery flows) {
      return flows;
    }
    throw query instanceof TableQuery table && table.offset() > 0
        ? tokens.error("expected flows without OFFSET, which cannot stand here", from)
        : tokens.error("expected flows, found a subquery, which cannot stand here", from);
  }

  /**
   * Parses a query over {@code flows} or over the results of queries.
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static Query parseQuery(String sql) {
    return query(new TokenStream(sql));
  }

  /**
   * Parses a query that reads what a scope names.
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static Query parseQuery(String sql, QueryScope scope) {
    return query(new TokenStream(sql), scope);
  }

  private static Query query(TokenStream tokens) {
    return query(tokens, QueryScope.FLOWS);
  }

  private static Query query(TokenStream tokens, QueryScope scope) {
    Query query = new UnionParser(tokens, new Subqueries(tokens, scope), 0).whole();
    tokens.takeSymbol(";");
    if (tokens.peek().kind() != Token.Kind.END) {
      throw tokens.expectedEnd("the end of the query");
    }
    return query;
  }

  /**
   * Parses a filter as after WHERE, without subqueries.
   *
   * @throws QueryException saying what was found where, and what was expected
   */
  public static Expression parseCondition(String sql) {
    return parseCondition(sql, new ColumnSource.OfFlows());
  }

  /**
   * Parses a condition over a result table's rows.
   *
   * @param title the table's name in errors: {@code the report}
   * @throws QueryException saying what was found where, and what was expected
   */
  public static Expression parseCondition(
      String sql, List<Expression.Named> columns, String title) {
    return parseCondition(sql, new ColumnSource.OfTable(columns, title));
  }

  private static Expression parseCondition(String sql, ColumnSource columns) {
    TokenStream tokens = new TokenStream(sql);
    Expression condition = new ExpressionParser(tokens, columns).parseCondition();
    if (tokens.peek().kind() != Token.Kind.END) {
      throw tokens.expectedInstead("an operator or the end of the condition");
    }
    return condition;
  }
}
