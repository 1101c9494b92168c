package org.flowmon.deploy.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A table that is no wider than a terminal. If it were, columns of one value are said once, then
 * less important columns are left out and named, and if that is not enough each row becomes some
 * lines.
 */
public final class FittedTable {
  static final int WIDTH = 80;

  private static final int GAP = 2;

  /** Columns of this rank or below are never left out. */
  private static final int NEEDED = 1;

  private final List<Column> columns;
  private final int rows;

  /**
   * One column.
   *
   * @param cells by row; a cell has a line or more
   * @param right whether its values stand to the right
   * @param rank the larger, the sooner it is left out
   */
  public record Column(String name, List<List<String>> cells, boolean right, int rank, int width) {
    public static Column of(String name, List<List<String>> cells, boolean right, int rank) {
      int width = name.length();
      for (List<String> cell : cells) {
        for (String line : cell) {
          width = Math.max(width, line.length());
        }
      }
      return new Column(name, cells, right, rank, width);
    }

    boolean isEmpty() {
      return cells.stream().allMatch(cell -> cell.equals(List.of("")));
    }

    boolean isConstant() {
      return cells.size() > 1 && cells.stream().distinct().count() == 1;
    }
  }

  public FittedTable(List<Column> columns, int rows) {
    this.columns = columns.stream().filter(column -> !column.isEmpty()).toList();
    this.rows = rows;
  }

  public void write(PrintWriter out) {
    if (rows == 0 || columns.isEmpty()) {
      return;
    }
    List<Column> shown = new ArrayList<>(columns);
    List<String> once = new ArrayList<>();
    List<String> others = new ArrayList<>();
    for (Column column : columns) {
      if (width(shown) > WIDTH && column.rank() > NEEDED && column.isConstant()) {
        shown.remove(column);
        once.add(column.name() + " " + String.join(" ", column.cells().get(0)));
      }
    }
    while (width(shown) > WIDTH) {
      Column least = least(shown);
      if (least == null) {
        writeVertical(out);
        return;
      }
      shown.remove(least);
      others.add(least.name());
    }
    writeRows(shown, out);
    remark("  each: ", once, "", out);
    Collections.sort(others);
    remark("  also: ", others, " (--vertical)", out);
  }

  /** The column to be left out next, of equals the last; null if none may be. */
  private static @Nullable Column least(List<Column> shown) {
    return shown.stream()
        .filter(column -> column.rank() > NEEDED)
        .reduce((a, b) -> a.rank() > b.rank() ? a : b)
        .orElse(null);
  }

  private static int width(List<Column> shown) {
    return shown.stream().mapToInt(column -> column.width() + GAP).sum() - GAP;
  }

  private void writeRows(List<Column> shown, PrintWriter out) {
    List<String> names = new ArrayList<>();
    List<String> rules = new ArrayList<>();
    for (Column column : shown) {
      names.add(padded(column, column.name()));
      rules.add("─".repeat(column.width()));
    }
    out.println(String.join("  ", names).stripTrailing());
    out.println(String.join("  ", rules));
    for (int row = 0; row < rows; row++) {
      int at = row;
      int lines = shown.stream().mapToInt(column -> column.cells().get(at).size()).max().orElse(1);
      for (int line = 0; line < lines; line++) {
        List<String> cells = new ArrayList<>();
        for (Column column : shown) {
          List<String> cell = column.cells().get(row);
          cells.add(padded(column, line < cell.size() ? cell.get(line) : ""));
        }
        out.println(String.join("  ", cells).stripTrailing());
      }
    }
  }

  /** Each row as lines of name and value, without those that have none. */
  public void writeVertical(PrintWriter out) {
    int widest = columns.stream().mapToInt(column -> column.name().length()).max().orElse(0);
    for (int row = 0; row < rows; row++) {
      if (row > 0) {
        out.println();
      }
      for (Column column : columns) {
        String before = column.name() + " ".repeat(widest - column.name().length());
        for (String line : column.cells().get(row)) {
          if (!line.isEmpty()) {
            out.println(before + "  " + line);
            before = " ".repeat(widest);
          }
        }
      }
    }
  }

  private static void remark(String before, List<String> parts, String after, PrintWriter out) {
    if (!parts.isEmpty()) {
      wrapped(before + String.join(", ", parts) + after, "        ", out);
    }
  }

  /** Prints words in lines of at most the width, unless a word alone is longer. */
  public static void wrapped(String text, String indent, PrintWriter out) {
    StringBuilder line = new StringBuilder();
    boolean isFirst = true;
    for (String word : text.split("(?<=\\S) ", -1)) {
      if (!isFirst && line.length() + 1 + word.length() > WIDTH) {
        out.println(line.toString().stripTrailing());
        line = new StringBuilder(indent).append(word);
      } else {
        line.append(isFirst ? "" : " ").append(word);
      }
      isFirst = false;
    }
    out.println(line.toString().stripTrailing());
  }

  private static String padded(Column column, String text) {
    String blanks = " ".repeat(Math.max(0, column.width() - text.length()));
    return column.right() ? blanks + text : text + blanks;
  }
}
