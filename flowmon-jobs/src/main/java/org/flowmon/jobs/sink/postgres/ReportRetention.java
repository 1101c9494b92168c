package org.flowmon.jobs.sink.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;

/**
 * Deletes reports whose windows ended longer than the retention before the newest window of their
 * analysis. That is the time of reports, not of a clock: a replay of last year's flows keeps its
 * reports. Each stored report deletes at most {@value #MAX_WINDOWS} windows, of {@value #MAX_ROWS}
 * rows together (more if the oldest one alone has them), in its own transaction: a reader sees
 * whole reports only.
 */
final class ReportRetention {
  static final int MAX_WINDOWS = 1_000;
  static final int MAX_ROWS = 20_000;

  // Windows that another writer is about to replace or delete are left for later.
  private static final String EXPIRED =
      """
      WITH oldest AS (
        SELECT window_end, window_start, row_count FROM flowmon_windows
        WHERE analysis = ? AND window_end < ? ORDER BY window_end, window_start
        LIMIT %d FOR UPDATE SKIP LOCKED),
      step AS (
        SELECT window_end, window_start, row_count,
          SUM(row_count) OVER (ORDER BY window_end, window_start) AS through
        FROM oldest)
      DELETE FROM flowmon_windows AS w USING step
      WHERE w.analysis = ? AND w.window_end = step.window_end AND w.window_start = step.window_start
        AND (step.through <= %d OR step.through = step.row_count)
      RETURNING w.window_end, w.window_start
      """
          .formatted(MAX_WINDOWS, MAX_ROWS);

  private final Duration retention;

  ReportRetention(Duration retention) {
    this.retention = retention;
  }

  /** Within the caller's transaction, in which the analysis stored a window with this end. */
  void expire(Connection connection, String analysis, long windowEnd) throws SQLException {
    OffsetDateTime end = PostgresTable.time(windowEnd);
    try (PreparedStatement windows = connection.prepareStatement(EXPIRED);
        PreparedStatement rows =
            connection.prepareStatement(PostgresTable.deletionOfWindow(analysis))) {
      windows.setString(1, analysis);
      windows.setObject(2, end.minus(retention));
      windows.setString(3, analysis);
      int expired = 0;
      try (ResultSet window = windows.executeQuery()) {
        while (window.next()) {
          rows.setObject(1, window.getObject(1, OffsetDateTime.class));
          rows.setObject(2, window.getObject(2, OffsetDateTime.class));
          rows.addBatch();
          expired++;
        }
      }
      if (expired > 0) {
        rows.executeBatch();
      }
    }
  }
}
