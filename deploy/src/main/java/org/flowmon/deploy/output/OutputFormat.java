package org.flowmon.deploy.output;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.util.List;
import org.flowmon.deploy.terminal.TerminalStream;
import org.flowmon.ingest.file.line.CsvText;
import org.flowmon.ingest.text.JsonText;
import org.flowmon.udaf.query.SelectItem;
import org.flowmon.udaf.value.ResultTable;

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
        out.print(RowEncoding.csvHeader(some) + "\n");
        isHeaded = true;
      }
      for (int r = 0; r < some.rowCount(); r++) {
        out.print(RowEncoding.csv(some, items, r) + "\n");
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
        RowEncoding.json(json, some, items, r);
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
}
