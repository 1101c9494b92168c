package org.flowmon.deploy.shell;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Cuts a text that grows into statements: queries up to their {@code ;}, and lines that begin with
 * a dot. Quotes and comments are those of the dialect.
 */
final class Statements {
  private final StringBuilder text = new StringBuilder();
  private int lines; // before the text

  /** {@code text} has blanks and line feeds before it, so that places are those in the input. */
  record Statement(String text, boolean isCommand) {
    String stripped() {
      return text.strip();
    }
  }

  /** Adds a line, without its end. */
  void add(String line) {
    text.append(line).append('\n');
  }

  /** Removes the first whole statement; empty if there is none yet. */
  Optional<Statement> next() {
    int begin = begin(text);
    if (begin == text.length()) {
      return Optional.empty();
    }
    boolean isCommand = text.charAt(begin) == '.';
    int end = isCommand ? text.indexOf("\n", begin) : end(text, begin);
    return end < 0 ? Optional.empty() : Optional.of(take(end, isCommand));
  }

  /** What is left at the end of the input; empty if that is white space and comments. */
  Optional<Statement> rest() {
    int begin = begin(text);
    return begin == text.length()
        ? Optional.empty()
        : Optional.of(take(text.length(), text.charAt(begin) == '.'));
  }

  private Statement take(int end, boolean isCommand) {
    String taken = "\n".repeat(lines) + text.substring(0, end);
    int after = Math.min(text.length(), end + 1);
    lines += (int) text.chars().limit(after).filter(c -> c == '\n').count();
    int lineBegin = text.lastIndexOf("\n", after - 1) + 1;
    // What follows in the line of this statement's end keeps its column.
    String blanks = " ".repeat(Math.max(0, after - lineBegin));
    text.replace(0, after, blanks);
    return new Statement(taken, isCommand);
  }

  /** Behind the last {@code ;} that ends a statement; 0 if none does. */
  static int last(String text) {
    int last = 0;
    for (int end = end(text, 0); end >= 0; end = end(text, last)) {
      last = end + 1;
    }
    return last;
  }

  /** Whether a text that somebody types is whole. */
  static boolean isWhole(String text) {
    String open = text.substring(last(text));
    int begin = begin(open);
    return begin == open.length() || open.charAt(begin) == '.';
  }

  /** The first character that is neither white space nor of a comment. */
  private static int begin(CharSequence text) {
    int at = 0;
    while (at < text.length()) {
      int after = comment(text, at);
      if (after > at) {
        at = after;
      } else if (Character.isWhitespace(text.charAt(at))) {
        at++;
      } else {
        return at;
      }
    }
    return text.length();
  }

  /** The place of the {@code ;} that ends a statement; −1 if it does not end. */
  private static int end(CharSequence text, int begin) {
    int at = begin;
    while (at < text.length()) {
      char c = text.charAt(at);
      int after = comment(text, at);
      if (after > at) {
        at = after;
      } else if (c == '\'' || c == '"') {
        at = quoted(text, at);
      } else if (c == ';') {
        return at;
      } else {
        at++;
      }
    }
    return -1;
  }

  /** Behind a comment that begins here; the place itself if none does. */
  private static int comment(CharSequence text, int at) {
    String end = commentEnd(text, at);
    if (end == null) {
      return at;
    }
    int found = text.toString().indexOf(end, at + 2);
    return found < 0 ? text.length() : found + end.length();
  }

  private static @Nullable String commentEnd(CharSequence text, int at) {
    if (at + 1 >= text.length()) {
      return null;
    }
    char first = text.charAt(at);
    char second = text.charAt(at + 1);
    return first == '-' && second == '-' ? "\n" : first == '/' && second == '*' ? "*/" : null;
  }

  /** Behind a quoted text; two quotes in it are one, which looks like two texts. */
  private static int quoted(CharSequence text, int at) {
    for (int i = at + 1; i < text.length(); i++) {
      if (text.charAt(i) == text.charAt(at)) {
        return i + 1;
      }
    }
    return text.length();
  }
}
