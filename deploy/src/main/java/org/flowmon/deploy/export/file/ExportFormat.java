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
  };

  /** Writes what comes before the first row. */
  abstract RowFormat rows(List<ExportColumn> columns, OutputStream out) throws IOException;

  /** By the end of the name. */
  public static Optional<ExportFormat> byName(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    name = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    for (ExportFormat format : values()) {
      if (format != CSV_EXACT && name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
        return Optional.of(format);
      }
    }
    return name.endsWith(".jsonl") || name.endsWith(".ndjson")
        ? Optional.of(JSON)
        : Optional.empty();
  }
}
