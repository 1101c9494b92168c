package org.flowmon.deploy.terminal;

import org.flowmon.ingest.text.ShownText;

/** An excerpt of a text around a place, safe for a terminal, with a mark under the place. */
public final class Excerpt {
  /** Characters shown before and after the place. */
  static final int AROUND = 60;

  private static final String INDENT = "\n  ";
  private static final String MORE = "…";

  private Excerpt() {}

  /** Two lines, each with a line feed before it; {@code position} is 0 … the text's length. */
  public static String of(String text, int position) {
    int line = text.lastIndexOf('\n', position - 1) + 1;
    int feed = text.indexOf('\n', position);
    int lineEnd = feed < 0 ? text.length() : feed;
    int from = Math.max(line, position - AROUND);
    int to = Math.min(lineEnd, position + AROUND);
    String before = (from > line ? MORE : "") + ShownText.of(text.substring(from, position));
    String behind = ShownText.of(text.substring(position, to)) + (to < lineEnd ? MORE : "");
    int columns = before.codePointCount(0, before.length());
    return INDENT + before + behind + INDENT + " ".repeat(columns) + "^";
  }
}
