package org.flowmon.deploy.export.file;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import org.flowmon.deploy.export.row.ExportColumn;
import org.flowmon.deploy.export.row.ExportRows;

/** Writes rows as bytes of a file. */
interface RowFormat extends AutoCloseable {
  void begin(List<ExportColumn> columns, OutputStream out) throws IOException;

  void write(ExportRows block, OutputStream out) throws IOException;

  void end(OutputStream out) throws IOException;

  /** Frees what it holds, whether rows were written or not. */
  @Override
  default void close() {
    // Texts hold nothing.
  }
}
