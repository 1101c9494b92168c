package org.flowmon.deploy.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.StringJoiner;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.ingest.file.line.CsvText;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/**
 * An answer's rows as CSV and JSON, wherever they go. Codes with names are shown by name; the items
 * are a query's, or empty.
 */
public final class RowEncoding {
  private RowEncoding() {}

  /** The line of the columns' names, without its end. */
  public static String csvHeader(ResultTable table) {
    StringJoiner line = new StringJoiner(",");
    table.names().forEach(name -> line.add(quoted(name)));
    return line.toString();
  }

  /** A line, without its end. */
  public static String csv(ResultTable table, List<SelectItem> items, int row) {
    StringJoiner line = new StringJoiner(",");
    for (int c = 0; c < table.columnCount(); c++) {
      line.add(table.isNull(row, c) ? "" : csv(table, items, row, c));
    }
    return line.toString();
  }

  /** An object with a member for each column. */
  public static void json(JsonGenerator json, ResultTable table, List<SelectItem> items, int row)
      throws IOException {
    json.writeStartObject();
    for (int c = 0; c < table.columnCount(); c++) {
      json.writeFieldName(table.name(c));
      writeJson(json, table, items, row, c);
    }
    json.writeEndObject();
  }

  /** Null if the code has no known name: its number is shown, which queries and imports take. */
  static @Nullable String codeName(ResultTable table, List<SelectItem> items, int row, int column) {
    CodeNames names = items.isEmpty() ? null : items.get(column).codeNames();
    return names == null || table.isNull(row, column)
        ? null
        : names.name(table.longValue(row, column));
  }

  private static String csv(ResultTable table, List<SelectItem> items, int row, int column) {
    String name = codeName(table, items, row, column);
    if (name != null) {
      return name;
    }
    return switch (table.kind(column)) {
      case TEXT -> quoted(CsvText.safe(Objects.requireNonNull(table.text(row, column))));
      case DURATION -> table.bigValue(row, column).toString();
      default -> table.formatted(row, column);
    };
  }

  private static String quoted(String text) {
    boolean plain = !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c < ' ');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  private static void writeJson(
      JsonGenerator json, ResultTable table, List<SelectItem> items, int row, int column)
      throws IOException {
    if (table.isNull(row, column)) {
      json.writeNull();
      return;
    }
    String name = codeName(table, items, row, column);
    if (name != null) {
      json.writeString(name);
      return;
    }
    switch (table.kind(column)) {
      case LONG, DURATION -> json.writeNumber(table.bigValue(row, column));
      case BOOLEAN -> json.writeBoolean(table.longValue(row, column) != 0);
      case DOUBLE -> json.writeNumber(table.doubleValue(row, column));
      default -> {
        if (!items.isEmpty() && items.get(column).isList()) {
          json.writeRawValue(Objects.requireNonNull(table.text(row, column)));
        } else {
          json.writeString(table.formatted(row, column));
        }
      }
    }
  }
}
