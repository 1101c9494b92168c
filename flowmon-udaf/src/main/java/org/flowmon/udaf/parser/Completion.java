package org.flowmon.udaf.parser;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.udaf.query.AggregateFunction;
import org.flowmon.udaf.query.Functions;
import org.flowmon.udaf.text.QueryException;
import org.jspecify.annotations.Nullable;

/**
 * What may stand at a place of a text of the dialect: of all names, functions and keywords those
 * that the parser takes there. So it proposes nothing that would be an error, and knows no grammar
 * of its own.
 *
 * @param from a proposal replaces the text from here, a word's beginning
 * @param to to here, the caret
 */
public record Completion(int from, int to, List<Proposal> proposals) {
  private static final List<String> KEYWORDS =
      List.of(
          "SELECT",
          "FROM flows",
          "WHERE",
          "GROUP BY",
          "HAVING",
          "ORDER BY",
          "LIMIT",
          "OFFSET",
          "AND",
          "OR",
          "NOT",
          "IN",
          "BETWEEN",
          "LIKE",
          "IS NULL",
          "IS NOT NULL",
          "AS",
          "ASC",
          "DESC",
          "NULLS FIRST",
          "NULLS LAST",
          "DISTINCT",
          "CASE",
          "WHEN",
          "THEN",
          "ELSE",
          "END",
          "TRUE",
          "FALSE",
          "NULL",
          "INTERVAL",
          "TIMESTAMP",
          "ADDRESS",
          "FILTER (WHERE",
          "UNION ALL",
          "JOIN");

  private static final long LAST_CODE = 255;

  public Completion {
    proposals = List.copyOf(proposals);
  }

  public enum Type {
    COLUMN,
    FUNCTION,
    KEYWORD,
    /** A code's name. */
    VALUE
  }

  /** A function's text ends with its bracket. */
  public record Proposal(String text, Type type) {}

  public static List<String> keywords() {
    return KEYWORDS;
  }

  /** The names of all columns of flows, also of those that no flow stores. */
  public static List<String> columns() {
    return new ColumnSource.OfFlows().names();
  }

  /** The names of all functions, aggregates included. */
  public static Set<String> functions() {
    Set<String> names = new LinkedHashSet<>();
    for (AggregateFunction function : AggregateFunction.values()) {
      if (function.isWritten()) {
        names.add(function.name());
      }
    }
    names.addAll(FunctionParser.FUNCTIONS);
    names.addAll(Functions.names());
    return names;
  }

  /** {@code isCondition}: the text is what stands after WHERE. */
  public static Completion at(String text, int caret, boolean isCondition) {
    int from = caret;
    while (from > 0 && isNamePart(text.charAt(from - 1))) {
      from--;
    }
    String before = text.substring(0, from);
    String typed = text.substring(from, caret).toUpperCase(Locale.ROOT);
    Completer completer = new Completer(before, typed, isCondition);
    return new Completion(from, caret, completer.proposals());
  }

  private static boolean isNamePart(char c) {
    return c == '_' || Character.isLetterOrDigit(c);
  }

  /** Tries candidates after the text before a word. */
  private record Completer(String before, String typed, boolean isCondition) {
    List<Proposal> proposals() {
      List<Proposal> found = new ArrayList<>();
      if (isWrongBefore()) {
        return found;
      }
      for (String value : codes()) {
        boolean unused = add("'" + value + "'", "", Type.VALUE, found);
      }
      for (String column : columns()) {
        // Alone it may be of another type than expected; a comparison may follow.
        if (!add(column, "", Type.COLUMN, found)) {
          boolean unused = add(column, " =", Type.COLUMN, found);
        }
      }
      for (String function : functions()) {
        boolean unused = add(function + "(", "", Type.FUNCTION, found);
      }
      for (String keyword : KEYWORDS) {
        boolean unused = add(keyword, "", Type.KEYWORD, found);
      }
      return found;
    }

    /** Whether what stands before is no beginning of a right text: amid a literal, for example. */
    private boolean isWrongBefore() {
      int wrong = wrong(before);
      return wrong >= 0 && wrong < before.stripTrailing().length();
    }

    private boolean add(String candidate, String then, Type type, List<Proposal> to) {
      boolean isTyped =
          candidate.toUpperCase(Locale.ROOT).startsWith(typed)
              || (type == Type.VALUE && candidate.toUpperCase(Locale.ROOT).startsWith("'" + typed));
      if (!isTyped) {
        return false;
      }
      int wrong = wrong(before + candidate + then);
      // What comes before was right: an error there is of the whole, which is not there yet.
      boolean isTaken = wrong < before.length() || wrong >= before.length() + candidate.length();
      return isTaken && to.add(new Proposal(candidate, type));
    }

    /** The place of the first error, −1 without one. */
    private int wrong(String text) {
      try {
        if (isCondition) {
          QueryParser.parseCondition(text);
        } else {
          QueryParser.parseQuery(text);
        }
        return -1;
      } catch (QueryException e) {
        return e.position();
      }
    }

    /** The names of codes, after a comparison with a column of codes. */
    private List<String> codes() {
      List<String> names = new ArrayList<>();
      CodeNames codes = compared();
      for (long code = 0; codes != null && code <= LAST_CODE; code++) {
        String name = codes.name(code);
        if (name != null) {
          names.add(name);
        }
      }
      return names;
    }

    private @Nullable CodeNames compared() {
      String[] words = before.strip().split("\\s+|(?<=[A-Za-z0-9_])(?=[=<>])", -1);
      if (words.length < 2 || !words[words.length - 1].matches("=|<>|!=")) {
        return null;
      }
      FlowColumn column = FlowColumn.byName(words[words.length - 2]);
      return column == null ? null : column.codeNames();
    }
  }
}
