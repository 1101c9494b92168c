package org.flowmon.deploy.export.sql;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;

/**
 * Statements of one connection that another thread may cancel. Once {@link #run} has returned, the
 * database gets nothing more on its behalf, so a late cancellation cannot hit the next statement,
 * for example a commit.
 */
final class CancellableStatements {
  /** The work of a statement. */
  @FunctionalInterface
  interface Work {
    void run() throws SQLException;
  }

  private Optional<Statement> running = Optional.empty(); // guarded by this
  private boolean cancelled; // guarded by this

  /**
   * Throws {@link SQLException} if the statement fails or was cancelled, even if it was complete:
   * its transaction must be rolled back.
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
    running = Optional.of(statement);
  }

  private synchronized void end() {
    running = Optional.empty();
  }

  private synchronized void check() throws SQLException {
    if (cancelled) {
      throw new SQLException("it was told to end");
    }
  }

  synchronized boolean isCancelled() {
    return cancelled;
  }

  synchronized void cancel() {
    cancelled = true;
    try {
      if (running.isPresent()) {
        running.get().cancel();
      }
    } catch (SQLException e) {
      // The statement runs to its end and is rolled back then.
    }
  }
}
