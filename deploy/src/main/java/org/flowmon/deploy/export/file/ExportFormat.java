package org.flowmon.deploy.export.file;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.flowmon.deploy.export.row.ExportColumn;

/** The file formats of exports. */
public enum ExportFormat {
  /** RFC 4180 with a header; texts that a spreadsheet would run are marked as text. */
  CSV {
    @Override
    RowFormat rows(List<ExportColumn> columns, OutputStream out) throws IOException {
      return new CsvRows(columns, out, false);
    }
  },
  /** RFC 4180 with a header; texts stay unchanged. */
  CSV_EXACT {
    @Override
    RowFormat rows(List<ExportColumn> columns, OutputStream out) throws IOException {
      return new CsvRows(columns, out, true);
    }
  },
  /** One object on each line. */
  JSON {
    @Override
    RowFormat rows(List<ExportColumn> columns, OutputStream out) throws IOException {
      return new JsonRows(columns, out);
    }
  },
  PARQUET {
    @Override
    RowFormat rows(List<ExportColumn> columns, OutputStream out) throws IOException {
      return new ParquetRows(columns, out);
    }
  },
  /** An Arrow IPC stream: record batches of typed columns ({@code docs/format/arrow.md}). */
  ARROW {
    @Override
    RowFormat rows(List<ExportColumn> columns, OutputStream out) throws IOException {
      return new ArrowRows(columns, out);
    }
  };

  /** Writes what comes before the first row. */
  abstract RowFormat rows(List<ExportColumn> columns, OutputStream out) throws IOException;

  /** Whether it is bytes rather than text. */
  public boolean isBinary() {
    return this == PARQUET || this == ARROW;
  }

  /** By the end of the name. */
  public static Optional<ExportFormat> byName(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    name = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    for (ExportFormat format : values()) {
      boolean isNamed = format != CSV_EXACT && format != ARROW;
      if (isNamed && name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
        return Optional.of(format);
      }
    }
    if (name.endsWith(".arrows")) { // .arrow is the other format, with a footer
      return Optional.of(ARROW);
    }
    return name.endsWith(".jsonl") || name.endsWith(".ndjson")
        ? Optional.of(JSON)
        : Optional.empty();
  }
}
