package org.flowmon.udaf.text;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Cuts a query's text into tokens. */
final class Lexer {
  static final int MAX_LENGTH = 1 << 20;

  private static final String TWO_CHARACTER_SYMBOLS = "<= >= <> != ";
  private static final String SYMBOLS = "(),*+-/%&|=<>;.";

  private final String sql;
  private final List<Token> tokens = new ArrayList<>();
  private int at;

  private Lexer(String sql) {
    this.sql = sql;
  }

  static List<Token> tokens(String sql) {
    if (sql.length() > MAX_LENGTH) {
      throw new QueryException(
          "a query has at most " + MAX_LENGTH + " characters, found " + sql.length());
    }
    Lexer lexer = new Lexer(sql);
    while (lexer.skipBlanks()) {
      lexer.next();
    }
    lexer.tokens.add(new Token(Token.Kind.END, "", "", sql.length()));
    return lexer.tokens;
  }

  /** Skips white space and comments; false at the end of the text. */
  private boolean skipBlanks() {
    while (at < sql.length()) {
      if (Character.isWhitespace(sql.charAt(at))) {
        at++;
      } else if (sql.startsWith("--", at)) {
        int end = sql.indexOf('\n', at);
        at = end < 0 ? sql.length() : end;
      } else if (sql.startsWith("/*", at)) {
        int end = sql.indexOf("*/", at + 2);
        if (end < 0) {
          throw new QueryException("this comment does not end: expected '*/'", sql, at);
        }
        at = end + 2;
      } else {
        return true;
      }
    }
    return false;
  }

  private void next() {
    char c = sql.charAt(at);
    if (isNameStart(c)) {
      int start = at;
      String word = name();
      tokens.add(new Token(Token.Kind.WORD, word.toUpperCase(Locale.ROOT), word, start));
    } else if (isDigit(c) || (c == '.' && isDigit(peek(1)))) {
      number();
    } else if (c == '\'') {
      quoted(Token.Kind.TEXT, "text");
    } else if (c == '"') {
      quoted(Token.Kind.QUOTED_NAME, "name");
    } else if (c == ':') {
      parameter();
    } else {
      symbol();
    }
  }

  private void symbol() {
    if (at + 2 <= sql.length()) {
      String two = sql.substring(at, at + 2);
      if (TWO_CHARACTER_SYMBOLS.contains(two + " ")) {
        add(Token.Kind.SYMBOL, two.equals("!=") ? "<>" : two, at);
        at += 2;
        return;
      }
    }
    if (SYMBOLS.indexOf(sql.charAt(at)) < 0) {
      throw new QueryException(
          "found the character '"
              + Character.toString(sql.codePointAt(at))
              + "', which is not part of the dialect",
          sql,
          at);
    }
    add(Token.Kind.SYMBOL, sql.substring(at, at + 1), at);
    at++;
  }

  private String name() {
    int start = at;
    while (at < sql.length() && isNamePart(sql.charAt(at))) {
      at++;
    }
    return sql.substring(start, at);
  }

  private void number() {
    int start = at;
    boolean whole = true;
    digits();
    if (peek(0) == '.') {
      whole = false;
      at++;
      digits();
    }
    if (peek(0) == 'e' || peek(0) == 'E') {
      int sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
      if (isDigit(peek(1 + sign))) {
        whole = false;
        at += 1 + sign;
        digits();
      }
    }
    if (isNamePart(peek(0))) {
      throw new QueryException(
          "a number ends before '" + peek(0) + "': expected white space or an operator", sql, at);
    }
    // It would be Infinity, which has no readable text.
    if (!whole && Double.isInfinite(Double.parseDouble(sql.substring(start, at)))) {
      throw new QueryException("expected a number below 1.8E308", sql, start);
    }
    Token.Kind kind = whole ? Token.Kind.WHOLE_NUMBER : Token.Kind.DECIMAL_NUMBER;
    add(kind, sql.substring(start, at), start);
  }

  private void digits() {
    while (isDigit(peek(0))) {
      at++;
    }
  }

  private void quoted(Token.Kind kind, String what) {
    int start = at;
    char quote = sql.charAt(at++);
    StringBuilder text = new StringBuilder();
    while (at < sql.length()) {
      char c = sql.charAt(at++);
      if (c != quote) {
        text.append(c);
      } else if (peek(0) == quote) {
        text.append(quote);
        at++;
      } else {
        add(kind, text.toString(), start);
        return;
      }
    }
    throw new QueryException("this " + what + " does not end: expected " + quote, sql, start);
  }

  private void parameter() {
    int start = at++;
    if (!isNameStart(peek(0))) {
      throw new QueryException("expected a parameter's name after ':'", sql, start);
    }
    StringBuilder name = new StringBuilder(name());
    while (peek(0) == '.' && isNameStart(peek(1))) {
      at++;
      name.append('.').append(name());
    }
    add(Token.Kind.PARAMETER, name.toString(), start);
  }

  private void add(Token.Kind kind, String text, int start) {
    tokens.add(new Token(kind, text, text, start));
  }

  private char peek(int ahead) {
    return at + ahead < sql.length() ? sql.charAt(at + ahead) : '\0';
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isNameStart(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  }

  private static boolean isNamePart(char c) {
    return isNameStart(c) || isDigit(c);
  }
}
