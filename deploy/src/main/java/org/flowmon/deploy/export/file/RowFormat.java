package org.flowmon.deploy.export.file;

import java.io.IOException;
import org.flowmon.deploy.export.row.ExportRows;

/** Writes rows as bytes of a stream. */
interface RowFormat extends AutoCloseable {
  void write(ExportRows block) throws IOException;

  /** Writes what comes after the last row. */
  void end() throws IOException;

  /** Frees what it holds, whether rows were written or not. */
  @Override
  default void close() {
    // Texts hold nothing.
  }
}
