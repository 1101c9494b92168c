package org.flowmon.deploy.command;

import java.io.PrintWriter;
import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.text.ShownText;
import org.flowmon.udaf.query.AggregateCall;
import org.flowmon.udaf.query.Expression.Column;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.query.ValueKind;

/**
 * An answer as aligned columns for people: numbers to the right, durations in seconds, NULL as an
 * empty cell; a state is how it begins and how long it is, a list has a line for each item. Of
 * {@code SELECT *}, which has every column that a flow can have, those without any value are left
 * out; columns that were asked for by name never are.
 */
final class TextTable {
  /** Decimals of a double that is neither huge nor tiny. */
  private static final int DECIMALS = 6;

  /** Digits of one that is tiny: a share of 5.5555e-5 is shown as 0.0000556. */
  private static final int DIGITS = 3;

  private static final double TINY = 1e-9;

  private final ResultTable table;
  private final List<SelectItem> items;
  private final int[] columns;

  private TextTable(ResultTable table, List<SelectItem> items, int[] columns) {
    this.table = table;
    this.items = items;
    this.columns = columns;
  }

  /** As {@link OutputFormat#write}. */
  static TextTable of(ResultTable table, List<SelectItem> items) {
    boolean all = isSelectAll(items);
    return new TextTable(
        table,
        items,
        IntStream.range(0, table.columnCount()).filter(c -> !all || hasValue(table, c)).toArray());
  }

  /** Of a report: without the columns that none of its rows has a value in. */
  static TextTable ofReport(ResultTable rows) {
    return new TextTable(
        rows,
        List.of(),
        IntStream.range(0, rows.columnCount()).filter(c -> hasValue(rows, c)).toArray());
  }

  private static boolean isSelectAll(List<SelectItem> items) {
    return items.stream()
        .map(item -> item.what() instanceof Column column ? column.column() : null)
        .toList()
        .equals(FlowColumn.all());
  }

  private static boolean hasValue(ResultTable table, int column) {
    return IntStream.range(0, table.rowCount()).anyMatch(row -> !table.isNull(row, column));
  }

  /** Writes it. Returns how many columns were left out. */
  int write(PrintWriter out) {
    if (columns.length == 0) {
      return 0; // of SELECT * without rows not even a column is there to be shown
    }
    int[] width = new int[columns.length];
    String[] names = new String[columns.length];
    for (int i = 0; i < columns.length; i++) {
      names[i] = printable(table.name(columns[i]));
      width[i] = names[i].length();
    }
    List<String[]> lines = new ArrayList<>();
    for (int row = 0; row < table.rowCount(); row++) {
      int first = lines.size();
      lines.add(emptyLine());
      for (int i = 0; i < columns.length; i++) {
        int place = first;
        for (String part : cell(row, columns[i])) {
          if (place == lines.size()) {
            lines.add(emptyLine());
          }
          String shown = printable(part);
          lines.get(place++)[i] = shown;
          width[i] = Math.max(width[i], shown.length());
        }
      }
    }
    writeLine(out, width, names);
    StringBuilder rule = new StringBuilder();
    for (int i = 0; i < columns.length; i++) {
      rule.append(i == 0 ? "" : "  ").append("─".repeat(width[i]));
    }
    out.println(rule);
    lines.forEach(line -> writeLine(out, width, line));
    return table.columnCount() - columns.length;
  }

  private String[] emptyLine() {
    String[] line = new String[columns.length];
    Arrays.fill(line, "");
    return line;
  }

  private void writeLine(PrintWriter out, int[] width, String[] cells) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < cells.length; i++) {
      String pad = " ".repeat(width[i] - cells[i].length());
      boolean right = isNumber(columns[i]);
      line.append(i == 0 ? "" : "  ").append(right ? pad + cells[i] : cells[i] + pad);
    }
    out.println(line.toString().stripTrailing());
  }

  private boolean isNumber(int column) {
    return switch (table.kind(column)) {
      case LONG -> items.isEmpty() || items.get(column).codeNames() == null;
      case DOUBLE, DURATION -> true;
      default -> false;
    };
  }

  /** The lines of a cell. */
  private List<String> cell(int row, int column) {
    String name = OutputFormat.codeName(table, items, row, column);
    if (name != null) {
      return List.of(name);
    }
    if (!table.isNull(row, column) && table.kind(column) == ValueKind.TEXT) {
      return StateCells.lines(table.text(row, column));
    }
    if (table.isNull(row, column) || table.kind(column) != ValueKind.DOUBLE) {
      return List.of(table.formatted(row, column));
    }
    double value = table.doubleValue(row, column);
    return List.of(isMeanDuration(column) ? number(value / 1e6) + " s" : number(value));
  }

  /** An average of durations is a number of microseconds, for it may lie between two of them. */
  private boolean isMeanDuration(int column) {
    return !items.isEmpty()
        && items.get(column).what() instanceof AggregateCall call
        && call.kind() == ValueKind.DOUBLE
        && call.argument().kind() == ValueKind.DURATION;
  }

  private static String number(double value) {
    double size = Math.abs(value);
    if (!(size >= TINY && size < 1e15)) { // 0, next to nothing, huge, infinite, NaN
      return Double.toString(value);
    }
    BigDecimal exact = new BigDecimal(value);
    BigDecimal shown =
        size < 1e-3
            ? exact.round(new MathContext(DIGITS, RoundingMode.HALF_EVEN))
            : exact.setScale(DECIMALS, RoundingMode.HALF_EVEN);
    return shown.stripTrailingZeros().toPlainString();
  }

  /** Text from the network must not steer a terminal. */
  static String printable(String text) {
    return ShownText.of(text);
  }
}
