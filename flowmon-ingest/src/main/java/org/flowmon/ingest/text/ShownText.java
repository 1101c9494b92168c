package org.flowmon.ingest.text;

/**
 * Escapes text from outside for a terminal: Unicode's control (Cc: C0, DEL, C1), format (Cf:
 * overrides of direction, marks, characters without width), line and paragraph separator (Zl, Zp),
 * and lone surrogates (Cs). C0 is {@code \x1b}, all else as in JSON, where it keeps its value: JSON
 * allows no C0 in a text.
 */
public final class ShownText {
  private static final int FIRST_PRINTABLE = 0x20;
  private static final int DELETE = 0x7F;

  private ShownText() {}

  /** Including line feeds and tabs. */
  public static String of(String text) {
    int at = 0;
    while (at < text.length()) {
      int codePoint = text.codePointAt(at);
      if (isHarmful(codePoint)) {
        return escaped(text, at);
      }
      at += Character.charCount(codePoint);
    }
    return text;
  }

  private static String escaped(String text, int from) {
    StringBuilder shown = new StringBuilder(text.length() + 16).append(text, 0, from);
    for (int at = from; at < text.length(); ) {
      int codePoint = text.codePointAt(at);
      if (isHarmful(codePoint)) {
        shown.append(escape(codePoint));
      } else {
        shown.appendCodePoint(codePoint);
      }
      at += Character.charCount(codePoint);
    }
    return shown.toString();
  }

  public static boolean isHarmful(int codePoint) {
    if (codePoint < DELETE) {
      return codePoint < FIRST_PRINTABLE;
    }
    return switch (Character.getType(codePoint)) {
      case Character.CONTROL,
          Character.FORMAT,
          Character.SURROGATE,
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR ->
          true;
      default -> false;
    };
  }

  /** Returns the escape of a code point, in ASCII. */
  public static String escape(int codePoint) {
    if (codePoint < FIRST_PRINTABLE) {
      return String.format("\\x%02x", codePoint);
    }
    StringBuilder units = new StringBuilder();
    for (char unit : Character.toChars(codePoint)) {
      units.append(String.format("\\u%04x", (int) unit));
    }
    return units.toString();
  }
}
