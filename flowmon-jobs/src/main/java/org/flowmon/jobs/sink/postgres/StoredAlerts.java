package org.flowmon.jobs.sink.postgres;

import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.alert.Alert;
import org.flowmon.jobs.config.job.JobConfig;

/**
 * Reads alerts from the table that {@link PostgresAlerts} writes: of each its last message, as
 * {@code AlertJson} writes what Kafka has of it. It needs the right to select, and no more.
 * Thread-safe.
 */
public final class StoredAlerts implements AutoCloseable {
  private static final String SELECT =
      "SELECT %s FROM flowmon_alerts ".formatted(String.join(", ", AlertStore.OF_MESSAGE));

  private static final String WHERE =
      "WHERE since >= ? AND since < ?%s%s ORDER BY since DESC, id DESC LIMIT ?";

  private final ReadSessions sessions;

  public StoredAlerts(JobConfig.Postgres postgres) {
    this.sessions = new ReadSessions(postgres);
  }

  /**
   * Which alerts: those that began in [from, to), in microseconds.
   *
   * @param state empty: in any
   * @param analysis empty: of all
   */
  public record Asked(Optional<Alert.State> state, Optional<String> analysis, long from, long to) {}

  public String place() {
    return sessions.place();
  }

  /**
   * Those that began last first, of one time by falling ids; empty if there is no table yet.
   *
   * @throws SQLException if the database does not answer or refuses
   */
  public Optional<List<Alert>> newest(Asked asked, int most) throws SQLException {
    String sql =
        SELECT
            + WHERE.formatted(
                asked.state().map(one -> " AND state = ?").orElse(""),
                asked.analysis().map(one -> " AND analysis = ?").orElse(""));
    return sessions.ask(
        connection -> {
          if (isAbsent(connection)) {
            return Optional.empty();
          }
          try (PreparedStatement select = connection.prepareStatement(sql)) {
            int at = 1;
            select.setObject(at++, PostgresTable.bound(asked.from()));
            select.setObject(at++, PostgresTable.bound(asked.to()));
            if (asked.state().isPresent()) {
              select.setString(at++, asked.state().get().text());
            }
            if (asked.analysis().isPresent()) {
              select.setString(at++, asked.analysis().get());
            }
            select.setInt(at, most);
            return Optional.of(alerts(select));
          }
        });
  }

  /** The alert of an id, if it is there. */
  public Optional<Alert> one(String id) throws SQLException {
    return sessions.ask(
        connection -> {
          if (isAbsent(connection)) {
            return Optional.empty();
          }
          try (PreparedStatement select = connection.prepareStatement(SELECT + "WHERE id = ?")) {
            select.setString(1, id);
            return alerts(select).stream().findFirst();
          }
        });
  }

  private static boolean isAbsent(Connection connection) throws SQLException {
    return PostgresTable.found(connection, AlertStore.TABLE).isEmpty();
  }

  private static List<Alert> alerts(PreparedStatement select) throws SQLException {
    List<Alert> alerts = new ArrayList<>();
    try (ResultSet row = select.executeQuery()) {
      while (row.next()) {
        alerts.add(alert(row));
      }
    } catch (IOException e) {
      throw new SQLException("table " + AlertStore.TABLE + ": " + e.getMessage(), e);
    }
    return alerts;
  }

  private static Alert alert(ResultSet row) throws SQLException, IOException {
    return new Alert(
        row.getString("id"),
        row.getLong("number"),
        Alert.State.of(row.getString("state")),
        Alert.Cause.of(row.getString("cause")),
        row.getString("analysis"),
        row.getString("rule"),
        Alert.severity(row.getString("severity")),
        row.getString("key"),
        micros(row, "since"),
        micros(row, "window_start"),
        micros(row, "window_end"),
        micros(row, "last_held"),
        row.getInt("revision"),
        row.getInt("rows"),
        row.getString("columns"),
        List.of());
  }

  private static long micros(ResultSet row, String column) throws SQLException {
    return FlowTime.micros(row.getObject(column, OffsetDateTime.class).toInstant());
  }

  @Override
  public void close() {
    sessions.close();
  }
}
