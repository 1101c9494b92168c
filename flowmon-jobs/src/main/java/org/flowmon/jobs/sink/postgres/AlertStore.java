package org.flowmon.jobs.sink.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.flowmon.jobs.alert.Alert;
import org.flowmon.jobs.config.job.JobConfig;
import org.jspecify.annotations.Nullable;

/**
 * The table of alerts: of each its message with the highest number. With a retention an alert goes
 * when its last message's window ended that long before the newest one of its analysis; each alert
 * that is added deletes at most {@value #MAX_EXPIRED}.
 */
final class AlertStore extends TableStore<Alert> {
  static final String TABLE = "flowmon_alerts";
  static final int MAX_EXPIRED = 1_000;

  /** The columns in order, those of a message before the last one; {@code id} is the key. */
  private static final List<String> COLUMNS =
      List.of(
          "id text COLLATE \"C\" PRIMARY KEY",
          "number bigint NOT NULL",
          "state text NOT NULL",
          "cause text NOT NULL",
          "severity text NOT NULL",
          "analysis text NOT NULL",
          "rule text NOT NULL",
          "key text NOT NULL",
          "since timestamptz NOT NULL",
          "window_start timestamptz NOT NULL",
          "window_end timestamptz NOT NULL",
          "last_held timestamptz NOT NULL",
          "revision integer NOT NULL",
          "rows integer NOT NULL",
          "columns json", // as text, so that it stays what Kafka has
          "written_at timestamptz NOT NULL");

  /** The names of the columns of a message, in order. */
  static final List<String> OF_MESSAGE =
      COLUMNS.subList(0, COLUMNS.size() - 1).stream()
          .map(column -> column.substring(0, column.indexOf(' ')))
          .toList();

  // A row that is inserted has no transaction that ended its version before.
  private static final String PUT =
      """
      INSERT INTO flowmon_alerts AS a (%s, written_at) VALUES (%s, ?::json, clock_timestamp())
      ON CONFLICT (id) DO UPDATE SET %s, written_at = excluded.written_at
      WHERE a.number < excluded.number
      RETURNING xmax = 0
      """
          .formatted(
              String.join(", ", OF_MESSAGE),
              String.join(", ", Collections.nCopies(OF_MESSAGE.size() - 1, "?")),
              OF_MESSAGE.stream()
                  .skip(1)
                  .map(column -> column + " = excluded." + column)
                  .collect(Collectors.joining(", ")));

  // Rows that another writer is about to change are left for later.
  private static final String EXPIRE =
      """
      DELETE FROM flowmon_alerts WHERE id IN (
        SELECT id FROM flowmon_alerts WHERE analysis = ? AND window_end <
          (SELECT max(window_end) FROM flowmon_alerts WHERE analysis = ?) - ?::interval
        ORDER BY window_end LIMIT %d FOR UPDATE SKIP LOCKED)
      """
          .formatted(MAX_EXPIRED);

  private final @Nullable Duration retention;
  private boolean isCreated;

  AlertStore(JobConfig.Postgres postgres) {
    super(postgres);
    this.retention = postgres.retention();
  }

  @Override
  String tableOf(Alert alert) {
    return TABLE;
  }

  @Override
  boolean isKnown(Alert alert) {
    return isCreated;
  }

  @Override
  void forget() {
    isCreated = false;
  }

  void createTable() throws SQLException {
    create(connection());
  }

  private void create(Connection open) throws SQLException {
    try (Statement statement = open.createStatement()) {
      PostgresTable.lockCreation(statement);
      statement.execute(
          "CREATE TABLE IF NOT EXISTS flowmon_alerts (" + String.join(", ", COLUMNS) + ")");
      PostgresTable.createIndex(open, statement, TABLE, "since", "since, id");
      PostgresTable.createIndex(open, statement, TABLE, "analysis", "analysis, since");
      PostgresTable.createIndex(open, statement, TABLE, "window_end", "analysis, window_end");
      PostgresTable.createIndex(open, statement, TABLE, "state", "state, since");
      PostgresTable.createIndex(open, statement, TABLE, "key", "key, since");
    }
    open.commit();
    isCreated = true;
  }

  @Override
  boolean attempt(Connection open, Alert alert) throws SQLException {
    if (!isCreated) {
      create(open);
    }
    boolean isStored = false;
    boolean isAdded = false;
    try (PreparedStatement put = open.prepareStatement(PUT)) {
      set(put, alert);
      try (ResultSet row = put.executeQuery()) {
        if (row.next()) {
          isStored = true;
          isAdded = row.getBoolean(1);
        }
      }
    }
    if (isAdded && retention != null) {
      expire(open, alert.analysis(), retention);
    }
    open.commit();
    return isStored;
  }

  private static void set(PreparedStatement put, Alert alert) throws SQLException {
    put.setString(1, alert.id());
    put.setLong(2, alert.number());
    put.setString(3, alert.state().text());
    put.setString(4, alert.cause().text());
    put.setString(5, alert.severity().text());
    put.setString(6, alert.analysis());
    put.setString(7, alert.rule());
    put.setString(8, PostgresTable.text(alert.key()));
    put.setObject(9, PostgresTable.time(alert.since()));
    put.setObject(10, PostgresTable.time(alert.windowStart()));
    put.setObject(11, PostgresTable.time(alert.windowEnd()));
    put.setObject(12, PostgresTable.time(alert.lastHeld()));
    put.setInt(13, alert.revision());
    put.setInt(14, alert.rows());
    put.setObject(15, alert.columns(), Types.VARCHAR);
  }

  private static void expire(Connection open, String analysis, Duration retention)
      throws SQLException {
    try (PreparedStatement delete = open.prepareStatement(EXPIRE)) {
      delete.setString(1, analysis);
      delete.setString(2, analysis);
      delete.setString(3, retention.toSeconds() + " seconds");
      delete.executeUpdate();
    }
  }
}
