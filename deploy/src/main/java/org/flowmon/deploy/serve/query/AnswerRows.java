package org.flowmon.deploy.serve.query;

import java.io.IOException;
import org.flowmon.archive.query.StreamedAnswer;
import org.flowmon.udaf.value.ResultTable;
import org.jspecify.annotations.Nullable;

/** Writes the rows of an answer in one format. */
interface AnswerRows extends AutoCloseable {
  /** Writes some rows, none perhaps; called at least once. */
  void rows(ResultTable some, int from, int to) throws IOException;

  /**
   * Ends the answer.
   *
   * @param given its rows
   * @param next the cursor of the next page; null: there is none
   */
  default void end(StreamedAnswer answer, long given, @Nullable String next) throws IOException {
    // Lines are rows alone.
  }

  /** Frees what it holds, however the query ended. */
  @Override
  default void close() {
    // Texts hold nothing.
  }
}
