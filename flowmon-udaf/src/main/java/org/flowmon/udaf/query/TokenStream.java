package org.flowmon.udaf.query;

import java.util.List;

/** A place in a query's tokens, and the errors that name it. */
final class TokenStream {
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
