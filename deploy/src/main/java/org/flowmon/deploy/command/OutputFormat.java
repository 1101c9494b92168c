package org.flowmon.deploy.command;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.query.ValueKind;

/** How the rows of an answer are written to standard output. */
public enum OutputFormat {
  /** Aligned columns for people: numbers to the right, NULL as an empty cell, a line of counts. */
  TABLE {
    @Override
    void write(ResultTable table, PrintWriter out) {
      int columns = table.columnCount();
      int[] width = new int[columns];
      List<String[]> lines = new ArrayList<>();
      for (int c = 0; c < columns; c++) {
        width[c] = table.name(c).length();
      }
      for (int r = 0; r < table.rowCount(); r++) {
        String[] line = new String[columns];
        for (int c = 0; c < columns; c++) {
          line[c] = printable(table.formatted(r, c));
          width[c] = Math.max(width[c], line[c].length());
        }
        lines.add(line);
      }
      writeLine(out, table, width, table.names().toArray(new String[0]));
      StringBuilder rule = new StringBuilder();
      for (int c = 0; c < columns; c++) {
        rule.append(c == 0 ? "" : "  ").append("─".repeat(width[c]));
      }
      out.println(rule);
      lines.forEach(line -> writeLine(out, table, width, line));
    }
  },

  /** RFC 4180 with a header line; NULL is an empty field, an empty text is a quoted one. */
  CSV {
    @Override
    void write(ResultTable table, PrintWriter out) {
      List<String> header = table.names().stream().map(name -> quoted(name)).toList();
      out.print(String.join(",", header) + "\r\n");
      for (int r = 0; r < table.rowCount(); r++) {
        for (int c = 0; c < table.columnCount(); c++) {
          out.print(c == 0 ? "" : ",");
          if (!table.isNull(r, c)) {
            out.print(csv(table, r, c));
          }
        }
        out.print("\r\n");
      }
    }
  },

  /** An array of one object a row; times as ISO 8601, durations in microseconds, NULL as null. */
  JSON {
    @Override
    void write(ResultTable table, PrintWriter out) throws IOException {
      JsonGenerator json = new JsonFactory().createGenerator(out);
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.writeStartArray();
      for (int r = 0; r < table.rowCount(); r++) {
        json.writeRaw(r == 0 ? "\n" : "");
        json.writeStartObject();
        for (int c = 0; c < table.columnCount(); c++) {
          json.writeFieldName(table.name(c));
          writeJson(json, table, r, c);
        }
        json.writeEndObject();
        json.writeRaw("\n");
      }
      json.writeEndArray();
      json.close();
      out.println();
    }
  };

  abstract void write(ResultTable table, PrintWriter out) throws IOException;

  private static void writeLine(PrintWriter out, ResultTable table, int[] width, String[] cells) {
    StringBuilder line = new StringBuilder();
    for (int c = 0; c < cells.length; c++) {
      String pad = " ".repeat(width[c] - cells[c].length());
      boolean right = isNumber(table.kind(c));
      line.append(c == 0 ? "" : "  ").append(right ? pad + cells[c] : cells[c] + pad);
    }
    out.println(line.toString().stripTrailing());
  }

  private static boolean isNumber(ValueKind kind) {
    return kind == ValueKind.LONG || kind == ValueKind.DOUBLE || kind == ValueKind.DURATION;
  }

  /** Text from the network must not steer a terminal. */
  private static String printable(String text) {
    return text.codePoints().anyMatch(Character::isISOControl)
        ? text.codePoints()
            .mapToObj(
                c ->
                    Character.isISOControl(c) ? String.format("\\x%02x", c) : Character.toString(c))
            .reduce("", String::concat)
        : text;
  }

  private static String csv(ResultTable table, int row, int column) {
    return switch (table.kind(column)) {
      case TEXT -> quoted(table.text(row, column));
      case DURATION -> table.bigValue(row, column).toString();
      default -> table.formatted(row, column);
    };
  }

  private static String quoted(String text) {
    boolean plain = !text.isEmpty() && text.chars().noneMatch(c -> c == ',' || c == '"' || c < ' ');
    return plain ? text : '"' + text.replace("\"", "\"\"") + '"';
  }

  private static void writeJson(JsonGenerator json, ResultTable table, int row, int column)
      throws IOException {
    if (table.isNull(row, column)) {
      json.writeNull();
      return;
    }
    switch (table.kind(column)) {
      case LONG, DURATION -> json.writeNumber(table.bigValue(row, column));
      case BOOLEAN -> json.writeBoolean(table.longValue(row, column) != 0);
      case DOUBLE -> json.writeNumber(table.doubleValue(row, column));
      default -> json.writeString(table.formatted(row, column));
    }
  }
}
