package org.flowmon.deploy.query;

import java.io.IOException;

/** Answers queries: archives, or a server that has them. */
public interface QueryPlace extends AutoCloseable {
  /**
   * Answers and prints a query. One at a time.
   *
   * @throws org.flowmon.deploy.command.UsageException with the place, if the text is wrong
   */
  void print(PrintedQuery query, PrintedQuery.Output out) throws IOException;

  /** Ends the query that another thread waits for, with an exception there. */
  void cancel();

  /** The place, for people. */
  String name();

  @Override
  void close();
}
