package org.flowmon.deploy.export.row;

import java.io.IOException;
import java.util.List;

/**
 * The target of an export. All rows are visible after {@link #finish}; without it {@link #close}
 * leaves nothing behind.
 */
public interface ExportTarget extends AutoCloseable {
  /** Begins with the columns of all blocks. */
  void begin(List<ExportColumn> columns) throws IOException;

  /** Writes the rows of the source's current block. */
  void write(ExportRows block) throws IOException;

  /** Makes all written rows visible. */
  void finish() throws IOException;

  /**
   * Cancels the export from another thread. Current and later writes fail with {@link
   * ExportCancelledException} unless the rows are visible already. May be called at any time and
   * repeatedly.
   */
  default void cancel() {
    // Writing to a file never waits long.
  }

  @Override
  void close() throws IOException;
}
