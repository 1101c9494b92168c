package org.flowmon.deploy.export.sql;

import java.sql.SQLException;
import java.sql.Statement;

/**
 * Statements of one connection that another thread may end. Once a statement has returned from
 * {@link #run} nothing is sent to the database on its behalf any more: what comes next, a commit,
 * is not hit by what was meant for it.
 */
final class CancellableStatements {
  /** What a statement does. */
  @FunctionalInterface
  interface Work {
    void run() throws SQLException;
  }

  private Statement running; // guarded by this
  private boolean cancelled; // guarded by this

  /**
   * Executes a statement.
   *
   * @throws SQLException where it fails, or was cancelled, even if it was done by then: its
   *     transaction is to be rolled back
   */
  void run(Statement statement, Work work) throws SQLException {
    begin(statement);
    try {
      work.run();
    } finally {
      end();
    }
    check();
  }

  private synchronized void begin(Statement statement) throws SQLException {
    check();
    running = statement;
  }

  private synchronized void end() {
    running = null;
  }

  private synchronized void check() throws SQLException {
    if (cancelled) {
      throw new SQLException("it was told to end");
    }
  }

  synchronized boolean isCancelled() {
    return cancelled;
  }

  /** Ends the statement that runs, and lets none begin. */
  synchronized void cancel() {
    cancelled = true;
    try {
      if (running != null) {
        running.cancel();
      }
    } catch (SQLException e) {
      // It goes on to its end, and is rolled back then.
    }
  }
}
