package org.flowmon.deploy.output;

import java.io.IOException;
import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.text.ShownText;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.value.ValueKind;

/**
 * An answer as aligned columns for people: numbers to the right, durations in seconds, NULL as an
 * empty cell, states and lists as {@link StateCells}. Columns of {@code SELECT *} without any value
 * are left out, those selected by name never.
 *
 * <p>Columns are as wide as the first {@value #FIRST_ROWS} rows need. Later rows may widen them
 * from there on, and a first value in a hidden column starts a new head.
 */
public final class TextTable implements RowWriter {
  /** Rows to wait for before the first is shown. */
  static final int FIRST_ROWS = 10_000;

  /** Decimals of a double that is neither huge nor tiny. */
  private static final int DECIMALS = 6;

  /** Digits of a tiny double: a share of 5.5555e-5 is shown as 0.0000556. */
  private static final int DIGITS = 3;

  private static final double TINY = 1e-9;

  private final List<SelectItem> items;
  private final boolean hidesEmpty;
  private final PrintWriter out;
  private final List<ResultTable> first = new ArrayList<>(); // until there are enough
  private long firstRows;
  private boolean isHeaded;
  // By column; set with the first rows.
  private int[] width = {};
  private boolean[] isShown = {};

  private TextTable(List<SelectItem> items, boolean hidesEmpty, PrintWriter out) {
    this.items = items;
    this.hidesEmpty = hidesEmpty;
    this.out = out;
  }

  static TextTable of(List<SelectItem> items, PrintWriter out) {
    return new TextTable(items, isSelectAll(items), out);
  }

  /** A report's columns without a value are not shown. */
  public static TextTable ofReport(PrintWriter out) {
    return new TextTable(List.of(), true, out);
  }

  static int writeReport(ResultTable rows, PrintWriter out) {
    TextTable table = ofReport(out);
    try {
      table.rows(rows);
      return table.end();
    } catch (IOException e) {
      return 0; // nobody reads: writers of reports check this between reports
    }
  }

  private static boolean isSelectAll(List<SelectItem> items) {
    return items.stream()
        .map(item -> item.what() instanceof Column column ? column.column() : null)
        .toList()
        .equals(FlowColumn.all());
  }

  @Override
  public void rows(ResultTable some) throws IOException {
    if (isHeaded) {
      write(some);
      return;
    }
    first.add(some);
    firstRows += some.rowCount();
    if (firstRows >= FIRST_ROWS) {
      writeFirst();
    }
  }

  @Override
  public int end() throws IOException {
    if (!isHeaded) {
      writeFirst();
    }
    int shown = 0;
    for (boolean is : isShown) {
      shown += is ? 1 : 0;
    }
    return shown == 0 ? 0 : isShown.length - shown; // SELECT * without rows shows nothing
  }

  private void writeFirst() throws IOException {
    long left = FIRST_ROWS;
    for (ResultTable some : first) {
      fit(some, 0, (int) Math.min(left, some.rowCount()));
      left -= Math.min(left, some.rowCount());
    }
    isHeaded = true;
    if (!first.isEmpty()) {
      writeHead(first.get(0));
    }
    for (ResultTable some : first) {
      write(some);
    }
    first.clear();
  }

  private boolean fit(ResultTable some, int from, int to) {
    boolean isNew = false;
    if (width.length < some.columnCount()) {
      width = new int[some.columnCount()];
      isShown = new boolean[width.length];
      for (int c = 0; c < width.length; c++) {
        width[c] = printable(some.name(c)).length();
        isShown[c] = !hidesEmpty;
      }
    }
    for (int c = 0; c < width.length; c++) {
      for (int row = from; row < to; row++) {
        if (!isShown[c] && some.isNull(row, c)) {
          continue;
        }
        isNew |= !isShown[c];
        isShown[c] = true;
        for (String part : cell(some, row, c)) {
          width[c] = Math.max(width[c], printable(part).length());
        }
      }
    }
    return isNew;
  }

  private void write(ResultTable some) throws IOException {
    for (int from = 0; from < some.rowCount(); from += LOOK_ROWS) {
      int to = Math.min(some.rowCount(), from + LOOK_ROWS);
      if (fit(some, from, to)) {
        out.println();
        writeHead(some);
      }
      for (int row = from; row < to; row++) {
        writeRow(some, row);
      }
      ClosedOutputException.check(out);
    }
  }

  private void writeHead(ResultTable some) {
    List<String> names = new ArrayList<>();
    StringBuilder rule = new StringBuilder();
    for (int c = 0; c < width.length; c++) {
      names.add(printable(some.name(c)));
      if (isShown[c]) {
        rule.append(rule.isEmpty() ? "" : "  ").append("─".repeat(width[c]));
      }
    }
    if (!rule.isEmpty()) {
      writeLine(some, names);
      out.println(rule);
    }
  }

  private void writeRow(ResultTable some, int row) {
    List<List<String>> cells = new ArrayList<>();
    int lines = 1;
    for (int c = 0; c < width.length; c++) {
      List<String> cell = isShown[c] ? cell(some, row, c) : List.of();
      cells.add(cell);
      lines = Math.max(lines, cell.size());
    }
    for (int line = 0; line < lines; line++) {
      int at = line;
      writeLine(
          some,
          cells.stream().map(cell -> at < cell.size() ? printable(cell.get(at)) : "").toList());
    }
  }

  private void writeLine(ResultTable some, List<String> cells) {
    StringBuilder line = new StringBuilder();
    boolean isFirst = true;
    for (int c = 0; c < width.length; c++) {
      if (isShown[c]) {
        String pad = " ".repeat(width[c] - cells.get(c).length());
        line.append(isFirst ? "" : "  ");
        line.append(isNumber(some, c) ? pad + cells.get(c) : cells.get(c) + pad);
        isFirst = false;
      }
    }
    out.println(line.toString().stripTrailing());
  }

  private boolean isNumber(ResultTable table, int column) {
    return switch (table.kind(column)) {
      case LONG -> items.isEmpty() || items.get(column).codeNames() == null;
      case DOUBLE, DURATION -> true;
      default -> false;
    };
  }

  private List<String> cell(ResultTable table, int row, int column) {
    String name = RowEncoding.codeName(table, items, row, column);
    if (name != null) {
      return List.of(name);
    }
    if (!table.isNull(row, column) && table.kind(column) == ValueKind.TEXT) {
      return StateCells.lines(Objects.requireNonNull(table.text(row, column)));
    }
    if (table.isNull(row, column) || table.kind(column) != ValueKind.DOUBLE) {
      return List.of(table.formatted(row, column));
    }
    double value = table.doubleValue(row, column);
    return List.of(isMeanDuration(column) ? number(value / 1e6) + " s" : number(value));
  }

  /** Whether a column is an average of durations: a number of microseconds with a fraction. */
  private boolean isMeanDuration(int column) {
    return !items.isEmpty()
        && items.get(column).what() instanceof AggregateCall call
        && call.kind() == ValueKind.DOUBLE
        && call.argument().kind() == ValueKind.DURATION;
  }

  private static String number(double value) {
    double size = Math.abs(value);
    if (!(size >= TINY && size < 1e15)) { // 0, almost 0, huge, infinite, NaN
      return Double.toString(value);
    }
    BigDecimal exact = new BigDecimal(value);
    BigDecimal shown =
        size < 1e-3
            ? exact.round(new MathContext(DIGITS, RoundingMode.HALF_EVEN))
            : exact.setScale(DECIMALS, RoundingMode.HALF_EVEN);
    return shown.stripTrailingZeros().toPlainString();
  }

  /** Escapes text from the network, which must not steer a terminal. */
  public static String printable(String text) {
    return ShownText.of(text);
  }
}
