package org.flowmon.deploy.export.file;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;
import org.flowmon.ingest.file.line.CsvText;

/**
 * RFC 4180 with a header line. NULL is an empty field, an empty text a pair of quotes; times are
 * ISO 8601, durations microseconds. A text that a spreadsheet would run has an apostrophe in front,
 * unless exact ({@link CsvText}). {@code flowmon import} reads it back ({@code
 * docs/format/files.md}).
 */
final class CsvRows implements RowFormat {
  private final List<ExportColumn> columns;
  private final OutputStream out;
  private final boolean exact;
  private final TextBuffer text = new TextBuffer();

  /** If {@code exact}, texts stay unchanged, although a spreadsheet may run them. */
  CsvRows(List<ExportColumn> columns, OutputStream out, boolean exact) throws IOException {
    this.columns = columns;
    this.out = out;
    this.exact = exact;
    for (int c = 0; c < columns.size(); c++) {
      if (c > 0) {
        text.put(',');
      }
      putText(columns.get(c).name());
    }
    endRow();
  }

  private void endRow() throws IOException {
    text.put('\r');
    text.put('\n');
    text.writeTo(out);
  }

  @Override
  public void write(ExportRows block) throws IOException {
    for (int row = 0; row < block.rows(); row++) {
      for (int c = 0; c < columns.size(); c++) {
        if (c > 0) {
          text.put(',');
        }
        if (!block.isNull(row, c)) {
          put(block, row, c);
        }
      }
      endRow();
    }
  }

  private void put(ExportRows block, int row, int c) {
    String name = columns.get(c).codeName(block, row, c);
    if (name != null) {
      text.putAscii(name);
      return;
    }
    switch (columns.get(c).kind()) {
      case BOOLEAN -> text.putAscii(block.low(row, c) != 0 ? "true" : "false");
      case INT128 -> text.putAscii(block.big(row, c).toString());
      case DOUBLE -> text.putAscii(Double.toString(Double.longBitsToDouble(block.low(row, c))));
      case TIMESTAMP -> text.putTime(block.low(row, c));
      case ADDRESS -> text.putAddress(block.high(row, c), block.low(row, c));
      case TEXT -> putText(exact ? block.text(row, c) : CsvText.safe(block.text(row, c)));
      default -> text.putLong(block.low(row, c));
    }
  }

  private void putText(String value) {
    boolean plain =
        !value.isEmpty() && value.chars().noneMatch(c -> c == ',' || c == '"' || c < ' ');
    String quoted = plain ? value : '"' + value.replace("\"", "\"\"") + '"';
    text.putBytes(quoted.getBytes(StandardCharsets.UTF_8));
  }

  @Override
  public void end() {}
}
