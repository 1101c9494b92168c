package org.flowmon.deploy.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import java.util.Objects;
import org.flowmon.deploy.terminal.TerminalStream;
import org.flowmon.flow.code.CodeNames;
import org.flowmon.ingest.file.line.CsvText;
import org.flowmon.ingest.text.JsonText;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/** The formats of an answer's rows on standard output. Codes with names are shown by name. */
public enum OutputFormat {
  TABLE {
    @Override
    public RowWriter writer(List<SelectItem> items, PrintWriter out) {
      return TextTable.of(items, out);
    }
  },

  /**
   * RFC 4180 with a header line; times are ISO 8601, durations microseconds. NULL is an empty
   * field, an empty text is quoted. A text that a spreadsheet would run has an apostrophe in front
   * ({@link CsvText}).
   */
  CSV {
    @Override
    public RowWriter writer(List<SelectItem> items, PrintWriter out) {
      return new CsvRows(items, out);
    }
  },

  /** An array of objects; times are ISO 8601, durations microseconds, NULL is null. */
  JSON {
    @Override
    public RowWriter writer(List<SelectItem> items, PrintWriter out) throws IOException {
      return new JsonRows(items, out);
    }
  };

  /** For rows that come in parts; {@code items} are empty if the columns are not a query's. */
  public abstract RowWriter writer(List<SelectItem> items, PrintWriter out) throws IOException;

  public int write(ResultTable table, List<SelectItem> items, PrintWriter out) throws IOException {
    RowWriter writer = writer(items, out);
    writer.rows(table);
    return writer.end();
  }

  /** The rows of {@link #CSV}. */
  private static final class CsvRows implements RowWriter {
    private final List<SelectItem> items;
    private final PrintWriter out;
    private boolean isHeaded;

    CsvRows(List<SelectItem> items, PrintWriter out) {
      this.items = items;
      this.out = out;
    }

    @Override
    public void rows(ResultTable some) throws IOException {
      if (!isHeaded) {
        List<String> header = some.names().stream().map(name -> quoted(name)).toList();
        out.print(String.join(",", header) + "\n");
        isHeaded = true;
      }
      for (int r = 0; r < some.rowCount(); r++) {
        for (int c = 0; c < some.columnCount(); c++) {
          out.print(c == 0 ? "" : ",");
          if (!some.isNull(r, c)) {
            out.print(csv(some, items, r, c));
          }
        }
        out.print("\n");
        if ((r + 1) % LOOK_ROWS == 0) {
          ClosedOutputException.check(out);
        }
      }
      ClosedOutputException.check(out);
    }

    @Override
    public int end() {
      return 0;
    }
  }

  /** The rows of {@link #JSON}. */
  private static final class JsonRows implements RowWriter {
    private final List<SelectItem> items;
    private final PrintWriter out;
    private final JsonGenerator json;
    private boolean isFirst = true;

    JsonRows(List<SelectItem> items, PrintWriter out) throws IOException {
      this.items = items;
      this.out = out;
      this.json = JsonText.factory().createGenerator(out);
      json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
      json.writeStartArray();
    }

    @Override
    public void rows(ResultTable some) throws IOException {
      for (int r = 0; r < some.rowCount(); r++) {
        json.writeRaw(isFirst ? "\n" : "");
        isFirst = false;
        json.writeStartObject();
        for (int c = 0; c < some.columnCount(); c++) {
          json.writeFieldName(some.name(c));
          writeJson(json, some, items, r, c);
        }
        json.writeEndObject();
        json.writeRaw("\n");
        if ((r + 1) % LOOK_ROWS == 0) {
          json.flush();
          ClosedOutputException.check(out);
        }
      }
      json.flush();
      ClosedOutputException.check(out);
    }

    @Override
    public int end() throws IOException {
      json.writeEndArray();
      json.close();
      out.println();
      return 0;
    }
  }

  /** The stream for an answer: CSV is exact. */
  public PrintStream stream(PrintStream out) {
    return this == CSV ? TerminalStream.exact(out) : out;
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
