package org.flowmon.ingest.file.line;

/**
 * Texts in CSV cells. A spreadsheet runs a cell that begins with {@code = + - @}, a tab or the end
 * of a line as a formula; writing adds an apostrophe if that follows its leading apostrophes, if
 * any, and reading removes one, so every text comes back ({@code docs/format/files.md}).
 */
public final class CsvText {
  private static final char MARK = '\'';

  private CsvText() {}

  public static String safe(String text) {
    return isMarked(text) ? MARK + text : text;
  }

  private static boolean isMarked(String text) {
    int at = 0;
    while (at < text.length() && text.charAt(at) == MARK) {
      at++;
    }
    return at < text.length()
        && switch (text.charAt(at)) {
          case '=', '+', '-', '@', '\t', '\r', '\n' -> true;
          case '＝', '＋', '－', '＠' -> true; // their wide forms, which some spreadsheets accept, too
          default -> false;
        };
  }

  /** After a mark of {@link #safe}; the cell is [{@code from}, {@code to}), unquoted. */
  public static int begin(byte[] bytes, int from, int to) {
    int at = from;
    while (at < to && bytes[at] == MARK) {
      at++;
    }
    if (at == from || at == to) {
      return from;
    }
    boolean marked =
        switch (bytes[at]) {
          case '=', '+', '-', '@', '\t', '\r', '\n' -> true;
          case (byte) 0xEF -> isWide(bytes, at, to);
          default -> false;
        };
    return marked ? from + 1 : from;
  }

  /** U+FF1D, U+FF0B, U+FF0D or U+FF20 in UTF-8. */
  private static boolean isWide(byte[] bytes, int at, int to) {
    if (at + 2 >= to || bytes[at + 1] != (byte) 0xBC) {
      return false;
    }
    int last = bytes[at + 2] & 0xFF;
    return last == 0x9D || last == 0x8B || last == 0x8D || last == 0xA0;
  }
}
