package org.flowmon.udaf.text;

import java.util.List;

/** A position in a query's tokens, with errors that name it. */
public final class TokenStream {
  private static final List<String> CLAUSES =
      List.of("WHERE", "GROUP", "HAVING", "ORDER", "LIMIT", "OFFSET");

  private final String sql;
  private final List<Token> tokens;
  private int at;

  public TokenStream(String sql) {
    this.sql = sql;
    this.tokens = Lexer.tokens(sql);
  }

  public Token peek() {
    return tokens.get(at);
  }

  public Token peek(int ahead) {
    return tokens.get(Math.min(at + ahead, tokens.size() - 1));
  }

  public int place() {
    return at;
  }

  public void returnTo(int place) {
    at = place;
  }

  public Token next() {
    Token token = peek();
    if (token.kind() != Token.Kind.END) {
      at++;
    }
    return token;
  }

  public boolean takeWord(String word) {
    if (peek().isWord(word)) {
      at++;
      return true;
    }
    return false;
  }

  public boolean takeSymbol(String symbol) {
    if (peek().isSymbol(symbol)) {
      at++;
      return true;
    }
    return false;
  }

  public void expectWord(String word) {
    if (!takeWord(word)) {
      throw expected(word);
    }
  }

  public void expectSymbol(String symbol) {
    if (!takeSymbol(symbol)) {
      throw expected("'" + symbol + "'");
    }
  }

  /** The place of the FROM of the current SELECT, −1 if there is none. */
  public int placeOfFrom() {
    int open = 0;
    for (int i = at; i < tokens.size(); i++) {
      Token token = tokens.get(i);
      if (token.isSymbol("(")) {
        open++;
      } else if (token.isSymbol(")") && --open < 0) {
        return -1;
      } else if (open == 0 && token.isWord("FROM") && !isOfComparison(i)) {
        return i;
      }
    }
    return -1;
  }

  /** Whether a FROM is that of IS [NOT] DISTINCT FROM. */
  private boolean isOfComparison(int from) {
    return from > 1
        && tokens.get(from - 1).isWord("DISTINCT")
        && (tokens.get(from - 2).isWord("IS") || tokens.get(from - 2).isWord("NOT"));
  }

  /** The text offset of the source after FROM; the end of the text if there is none. */
  public int fromAhead() {
    int place = placeOfFrom();
    return tokens.get(place < 0 ? tokens.size() - 1 : place + 1).start();
  }

  public boolean isEndOfQuery() {
    return peek().kind() == Token.Kind.END
        || peek().isSymbol(";")
        || peek().isSymbol(")")
        || peek().isWord("UNION");
  }

  /** The query goes on after its expected end. */
  public QueryException expectedEnd(String end) {
    return expectedInstead("WHERE, GROUP BY, HAVING, ORDER BY, LIMIT, OFFSET or " + end);
  }

  /** An error that suggests the clause that may be meant. */
  public QueryException expectedInstead(String expected) {
    Token token = peek();
    String nearest =
        token.kind() == Token.Kind.WORD ? NameSuggestions.nearest(token.typed(), CLAUSES) : null;
    return error(
        String.format(
            "expected %s, found %s%s",
            expected, token.shown(), nearest == null ? "" : "; did you mean " + nearest + "?"),
        token.start());
  }

  public String text(int start, int end) {
    return sql.substring(start, end).strip().replaceAll("\\s+", " ");
  }

  public QueryException expected(String what) {
    return error("expected " + what + ", found " + peek().shown(), peek().start());
  }

  public QueryException error(String message, int position) {
    return new QueryException(message, sql, position);
  }
}
