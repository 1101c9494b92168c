package org.flowmon.deploy.output;

import java.io.IOException;
import org.flowmon.udaf.value.ResultTable;

/** Writes the rows of an answer as they come. */
public interface RowWriter {
  /** Rows between two looks at whether anyone still reads. */
  int LOOK_ROWS = 1000;

  /**
   * Writes the next rows; at least once, for the columns of an answer without rows.
   *
   * @param some of the same columns each time
   * @throws ClosedOutputException where nobody reads them any more
   */
  void rows(ResultTable some) throws IOException;

  /**
   * All rows were written.
   *
   * @return how many columns were left out because no row has a value in them
   */
  int end() throws IOException;
}
