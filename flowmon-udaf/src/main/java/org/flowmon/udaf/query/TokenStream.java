package org.flowmon.udaf.query;

import java.util.List;

/** A place in a query's tokens, and the errors that name it. */
final class TokenStream {
  /** What may be meant where a word stands at the end. */
  private static final List<String> CLAUSES = List.of("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT");

  private final String sql;
  private final List<Token> tokens;
  private int at;

  TokenStream(String sql) {
    this.sql = sql;
    this.tokens = Lexer.tokens(sql);
  }

  Token peek() {
    return tokens.get(at);
  }

  Token peek(int ahead) {
    return tokens.get(Math.min(at + ahead, tokens.size() - 1));
  }

  /** The place, to go back to by {@link #returnTo}. */
  int place() {
    return at;
  }

  void returnTo(int place) {
    at = place;
  }

  Token next() {
    Token token = peek();
    if (token.kind() != Token.Kind.END) {
      at++;
    }
    return token;
  }

  /** Takes the next token where it is this word. */
  boolean takeWord(String word) {
    if (peek().isWord(word)) {
      at++;
      return true;
    }
    return false;
  }

  boolean takeSymbol(String symbol) {
    if (peek().isSymbol(symbol)) {
      at++;
      return true;
    }
    return false;
  }

  void expectWord(String word) {
    if (!takeWord(word)) {
      throw expected(word);
    }
  }

  void expectSymbol(String symbol) {
    if (!takeSymbol(symbol)) {
      throw expected("'" + symbol + "'");
    }
  }

  /** The place of the FROM of the SELECT whose items are here, −1 where there is none. */
  int placeOfFrom() {
    int open = 0;
    for (int i = at; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.isSymbol("(")) {
        open++;
      } else if (token.isSymbol(")") && --open < 0) {
        return -1;
      } else if (open == 0 && token.isWord("FROM")) {
        return i;
      }
    }
    return -1;
  }

  /** Where in the text stands what this query is from; its end where there is none. */
  int fromAhead() {
    int place = placeOfFrom();
    return tokens.get(place < 0 ? tokens.size() - 1 : place + 1).start();
  }

  /** Whether here a query may end. */
  boolean isEndOfQuery() {
    return peek().kind() == Token.Kind.END || peek().isSymbol(";") || peek().isSymbol(")");
  }

  /**
   * An error where a query does not end.
   *
   * @param end what ends it
   */
  QueryException expectedEnd(String end) {
    if (peek().isWord("OFFSET")) {
      return error("OFFSET is not part of the dialect: expected " + end, peek().start());
    }
    return expectedInstead("WHERE, GROUP BY, HAVING, ORDER BY, LIMIT or " + end);
  }

  /** An error that names the clause that may be meant. */
  QueryException expectedInstead(String expected) {
    Token token = peek();
    String nearest = token.kind() == Token.Kind.WORD ? Names.nearest(token.typed(), CLAUSES) : null;
    return error(
        "expected "
            + expected
            + ", found "
            + token.shown()
            + (nearest == null ? "" : "; did you mean " + nearest + "?"),
        token.start());
  }

  /** The text between two places, with single blanks. */
  String text(int start, int end) {
    return sql.substring(start, end).strip().replaceAll("\\s+", " ");
  }

  QueryException expected(String what) {
    return error("expected " + what + ", found " + peek().shown(), peek().start());
  }

  QueryException error(String message, int position) {
    return new QueryException(message, sql, position);
  }
}
