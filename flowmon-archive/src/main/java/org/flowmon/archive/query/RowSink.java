package org.flowmon.archive.query;

import java.io.IOException;
import org.flowmon.udaf.value.ResultTable;

/** Takes the rows of an answer while others are still being looked for. */
@FunctionalInterface
public interface RowSink {
  /**
   * Takes the next rows. Threads of the query call it, one after the other.
   *
   * @param some in the order of the answer; perhaps none
   * @throws IOException if they cannot be taken, which ends the query
   */
  void rows(ResultTable some) throws IOException;
}
