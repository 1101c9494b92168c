package org.flowmon.archive.query;

import java.io.IOException;
import org.flowmon.udaf.value.ResultTable;

/** Receiver of an answer's rows while others are still being looked for. */
@FunctionalInterface
public interface RowSink {
  /**
   * Takes the next rows, maybe none, in the answer's order, from one thread after the other.
   *
   * @throws IOException if it cannot take them, which ends the query
   */
  void rows(ResultTable some) throws IOException;
}
