package org.flowmon.deploy.export.file;

import java.nio.file.Path;
import java.util.Locale;

/** The file formats of exports. */
public enum ExportFormat {
  /** RFC 4180 with a header; texts that a spreadsheet would run are marked as text. */
  CSV {
    @Override
    RowFormat rows() {
      return new CsvRows(false);
    }
  },
  /** RFC 4180 with a header; texts stay unchanged. */
  CSV_EXACT {
    @Override
    RowFormat rows() {
      return new CsvRows(true);
    }
  },
  /** One object on each line. */
  JSON {
    @Override
    RowFormat rows() {
      return new JsonRows();
    }
  },
  PARQUET {
    @Override
    RowFormat rows() {
      return new ParquetRows();
    }
  };

  abstract RowFormat rows();

  /** By the end of the name; null if unknown. */
  public static ExportFormat byName(Path file) {
    String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
    name = name.endsWith(".gz") ? name.substring(0, name.length() - 3) : name;
    for (ExportFormat format : values()) {
      if (format != CSV_EXACT && name.endsWith("." + format.name().toLowerCase(Locale.ROOT))) {
        return format;
      }
    }
    return name.endsWith(".jsonl") || name.endsWith(".ndjson") ? JSON : null;
  }
}
