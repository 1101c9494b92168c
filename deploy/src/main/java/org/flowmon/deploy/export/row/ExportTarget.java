package org.flowmon.deploy.export.row;

import java.io.IOException;
import java.util.List;

/** The target of an export: {@link #finish} shows its rows, {@link #close} alone leaves nothing. */
public interface ExportTarget extends AutoCloseable {
  void begin(List<ExportColumn> columns) throws IOException;

  void write(ExportRows block) throws IOException;

  void finish() throws IOException;

  /**
   * Cancels the export from another thread, at any time and repeatedly. Current and later writes
   * fail with {@link ExportCancelledException} unless the rows are visible already.
   */
  default void cancel() {
    // Writing to a file never waits long.
  }

  @Override
  void close() throws IOException;
}
