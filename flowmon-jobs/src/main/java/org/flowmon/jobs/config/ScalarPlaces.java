package org.flowmon.jobs.config;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.nodes.ScalarNode;

/** The places in a file of the characters of a value, which may span several lines. */
final class ScalarPlaces {
  private ScalarPlaces() {}

  /**
   * {@code line:column}, from 1, of an offset up to the value's length; null if the file writes the
   * value otherwise there (escapes, comments).
   */
  static @Nullable String of(List<String> lines, ScalarNode node, int offset) {
    if (node.getStartMark().isEmpty() || node.getEndMark().isEmpty()) {
      return null;
    }
    Mark start = node.getStartMark().get();
    Mark end = node.getEndMark().get();
    ScalarStyle style = node.getScalarStyle();
    boolean isBlock = style == ScalarStyle.LITERAL || style == ScalarStyle.FOLDED;
    int quote = isBlock || style == ScalarStyle.PLAIN ? 0 : 1;
    String value = node.getValue();
    int length = value.stripTrailing().length();
    int known = 0; // characters of the value in earlier lines
    int last = Math.min(end.getLine(), lines.size() - 1);
    for (int line = start.getLine() + (isBlock ? 1 : 0); line <= last; line++) {
      String text = lines.get(line);
      int from = !isBlock && line == start.getLine() ? start.getColumn() + quote : 0;
      int to = !isBlock && line == end.getLine() ? end.getColumn() - quote : text.length();
      if (from > to || to > text.length()) {
        return null; // marks count code points
      }
      String part = text.substring(from, to).strip();
      from = text.indexOf(part, from);
      while (known < length && Character.isWhitespace(value.charAt(known))) {
        known++;
      }
      if (!value.startsWith(part, known)) {
        return null;
      }
      if (offset < known + part.length() || known + part.length() >= length) {
        int column = from + Math.max(0, Math.min(offset, length) - known);
        return line + 1 + ":" + (column + 1);
      }
      known += part.length();
    }
    return null;
  }
}
