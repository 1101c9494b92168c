package org.flowmon.udaf.text;

/**
 * A token of a query's text, from a 0-based offset.
 *
 * @param text words in upper case, names as quoted, texts without quotes, parameters without colon
 * @param typed the original text, for messages
 */
public record Token(Kind kind, String text, String typed, int start) {
  public enum Kind {
    WORD,
    QUOTED_NAME,
    WHOLE_NUMBER,
    DECIMAL_NUMBER,
    TEXT,
    PARAMETER,
    SYMBOL,
    END
  }

  public boolean isWord(String word) {
    return kind == Kind.WORD && text.equals(word);
  }

  public boolean isSymbol(String symbol) {
    return kind == Kind.SYMBOL && text.equals(symbol);
  }

  public String shown() {
    return switch (kind) {
      case END -> "the end of the query";
      case PARAMETER -> ":" + text;
      default -> "'" + typed + "'";
    };
  }
}
