package org.flowmon.jobs.sink.postgres;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.flowmon.jobs.config.job.JobConfig;
import org.jspecify.annotations.Nullable;

/**
 * Stores values in tables, each in a transaction of its own, over a connection that is opened when
 * first needed and again when lost.
 */
abstract class TableStore<T> implements AutoCloseable {
  // Errors that may pass: connection (08), rollback (40), resources (53), state (55), intervention
  // (57), system (58), and a server that is read-only until a failover is done.
  private static final List<String> TRANSIENT = List.of("08", "40", "53", "55", "57", "58");
  private static final String READ_ONLY = "25006";

  // Undefined table, undefined column, another type: the cached table may be outdated.
  private static final List<String> CHANGED = List.of("42P01", "42703", "42804");

  private final JobConfig.Postgres postgres;
  private @Nullable Connection connection;

  TableStore(JobConfig.Postgres postgres) {
    this.postgres = postgres;
  }

  final String place() {
    return postgres.place();
  }

  abstract String tableOf(T value);

  /** Whether the value's table was created, or found to fit, over this connection. */
  abstract boolean isKnown(T value);

  /** Looks at all tables anew before the next value. */
  abstract void forget();

  /** Stores a value and commits; false if a newer one is there. */
  abstract boolean attempt(Connection open, T value) throws PostgresRejectedException, SQLException;

  /**
   * Stores a value; false if a newer one is there. A table dropped or altered since is created
   * again. PostgresRejectedException: it would be refused again; SQLException: a later attempt may
   * succeed.
   */
  final boolean store(T value) throws PostgresRejectedException, SQLException {
    Connection open = connection();
    boolean known = isKnown(value);
    try {
      return attempt(open, value);
    } catch (SQLException e) {
      if (isTransient(e)) {
        close();
        throw e;
      }
      rollback(open);
      if (known && CHANGED.contains(e.getSQLState())) {
        return store(value); // once: the table is read anew, and created if it is gone
      }
      throw new PostgresRejectedException(
          "%s in %s: %s (SQL state %s); %s"
              .formatted(tableOf(value), place(), e.getMessage(), e.getSQLState(), advice(e)),
          e);
    } catch (PostgresRejectedException | RuntimeException e) {
      rollback(open);
      throw e instanceof PostgresRejectedException rejected
          ? rejected
          : new PostgresRejectedException(tableOf(value) + ": a value cannot be stored: " + e, e);
    }
  }

  private static String advice(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (state.equals("42501")) {
      return "grant the job's role what it needs: it creates tables in its schema, and selects,"
          + " inserts, updates and deletes in them";
    }
    if (state.startsWith("42")) {
      return "the table is not what the job writes: rename or drop it, and it is created anew";
    }
    return "the values do not fit the table";
  }

  static boolean isTransient(SQLException e) {
    String state = e.getSQLState();
    return state == null
        || state.equals(READ_ONLY)
        || TRANSIENT.stream().anyMatch(state::startsWith);
  }

  final Connection connection() throws SQLException {
    if (connection != null) {
      return connection;
    }
    Connection opened = PostgresConnection.open(postgres, Map.of());
    opened.setAutoCommit(false);
    connection = opened;
    forget();
    return opened;
  }

  final void rollback(Connection open) throws SQLException {
    forget();
    try {
      open.rollback();
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  @Override
  public final void close() {
    Connection closing = connection;
    connection = null;
    if (closing != null) {
      try {
        closing.close();
      } catch (SQLException e) {
        // lost already
      }
    }
  }
}
