package org.flowmon.deploy.output;

import java.io.IOException;
import org.flowmon.udaf.value.ResultTable;

/** Writes the rows of an answer in parts. */
public interface RowWriter {
  /** Rows between two checks for a reader. */
  int LOOK_ROWS = 1000;

  /**
   * Writes the next rows; called at least once, for the columns of an answer without rows.
   *
   * @throws ClosedOutputException if nobody reads them any more
   */
  void rows(ResultTable some) throws IOException;

  /** Returns the number of columns left out because no row has a value in them. */
  int end() throws IOException;
}
