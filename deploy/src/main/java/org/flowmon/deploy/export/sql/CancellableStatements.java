package org.flowmon.deploy.export.sql;

import java.sql.SQLException;
import java.sql.Statement;

/**
 * Statements of one connection that another thread may cancel. Once a statement has returned from
 * {@link #run}, nothing is sent to the database on its behalf any more, so a late cancellation
 * cannot hit the next statement, for example a commit.
 */
final class CancellableStatements {
  /** The work of a statement. */
  @FunctionalInterface
  interface Work {
    void run() throws SQLException;
  }

  private Statement running; // guarded by this
  private boolean cancelled; // guarded by this

  /**
   * Executes a statement.
   *
   * @throws SQLException if it fails or was cancelled, even if it was complete: its transaction
   *     must be rolled back
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

  /** Cancels the running statement and refuses later ones. */
  synchronized void cancel() {
    cancelled = true;
    try {
      if (running != null) {
        running.cancel();
      }
    } catch (SQLException e) {
      // The statement runs to its end and is rolled back then.
    }
  }
}
