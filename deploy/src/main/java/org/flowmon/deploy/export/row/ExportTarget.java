package org.flowmon.deploy.export.row;

import java.io.IOException;
import java.util.List;

/**
 * Where rows go. All of them are there after {@link #finish}; where that is not reached, {@link
 * #close} leaves nothing behind.
 */
public interface ExportTarget extends AutoCloseable {
  /** Begins, with the columns of all blocks. */
  void begin(List<ExportColumn> columns) throws IOException;

  /** Takes the rows of the block that the source stands on. */
  void write(ExportRows block) throws IOException;

  /** Makes all that was written last. */
  void finish() throws IOException;

  /**
   * Ends what is waited for, from another thread: what is being written, and all that is written
   * later, fails with {@link ExportCancelledException} unless the rows are there already. May be
   * called at any time and again.
   */
  default void cancel() {
    // Who writes to a file waits for nothing long.
  }

  @Override
  void close() throws IOException;
}
