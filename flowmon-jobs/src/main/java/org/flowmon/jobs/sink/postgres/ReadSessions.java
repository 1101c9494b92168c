package org.flowmon.jobs.sink.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.flowmon.jobs.config.job.JobConfig;

/** Connections that read and change nothing, kept for the next question. Thread-safe. */
final class ReadSessions implements AutoCloseable {
  /** A query ends after 20 s; a session changes nothing, whatever its role may. */
  static final Map<String, String> OPTIONS =
      Map.of(
          "options",
          "-c statement_timeout=20000 -c default_transaction_read_only=on -c TimeZone=UTC"
              + " -c default_transaction_isolation=repeatable\\ read");

  private final JobConfig.Postgres postgres;
  private final ConcurrentLinkedDeque<Connection> idle = new ConcurrentLinkedDeque<>();

  ReadSessions(JobConfig.Postgres postgres) {
    this.postgres = postgres;
  }

  /** A question, all of whose answer is of one moment. */
  interface Question<R, E extends Exception> {
    R ask(Connection connection) throws SQLException, E;
  }

  String place() {
    return postgres.place();
  }

  /** Throws {@link SQLException} with the reason if the database does not answer. */
  void mustAnswer() throws SQLException {
    Connection connection = connection();
    connection.rollback(); // a look at an idle one begins a transaction
    idle.push(connection);
  }

  <R, E extends Exception> R ask(Question<R, E> question) throws SQLException, E {
    Connection connection = connection();
    boolean isWell = false;
    try {
      R answer = question.ask(connection);
      connection.rollback(); // nothing was written
      isWell = true;
      return answer;
    } finally {
      if (isWell) {
        idle.push(connection);
      } else {
        connection.close();
      }
    }
  }

  /** An idle one that still answers, or a new one. */
  private Connection connection() throws SQLException {
    Connection connection = idle.poll();
    if (connection != null && connection.isValid(5)) {
      return connection;
    }
    if (connection != null) {
      connection.close();
    }
    Connection opened = PostgresConnection.open(postgres, OPTIONS);
    opened.setAutoCommit(false);
    return opened;
  }

  @Override
  public void close() {
    Connection connection = idle.poll();
    while (connection != null) {
      try {
        connection.close();
      } catch (SQLException e) {
        // lost already
      }
      connection = idle.poll();
    }
  }
}
