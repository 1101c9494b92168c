package org.flowmon.jobs.sink.postgres;

import java.math.BigDecimal;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Types;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.jobs.history.HistoryAnswer;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.udaf.value.ResultTable;

/**
 * The table of one analysis. Names come from checked identifiers (an analysis's name, {@link
 * ReportColumn#name}) and stand in quotes; values are parameters.
 */
final class PostgresTable {
  // One creation at a time in a database: CREATE TABLE IF NOT EXISTS alone can collide.
  private static final long CREATION_LOCK = 0x666C_6F77_6D6F_6E01L;

  private static final String CREATE_WINDOWS =
      """
      CREATE TABLE IF NOT EXISTS flowmon_windows (
        analysis text NOT NULL,
        window_start timestamptz NOT NULL,
        window_end timestamptz NOT NULL,
        revision integer NOT NULL,
        row_count integer NOT NULL,
        history text NOT NULL,
        as_of timestamptz,
        history_from timestamptz,
        history_through timestamptz,
        arrived_through timestamptz,
        final_at timestamptz,
        flows bigint NOT NULL,
        late_flows bigint NOT NULL,
        ahead_flows bigint NOT NULL,
        lost_flows bigint NOT NULL,
        sampled_flows bigint NOT NULL DEFAULT 0,
        sampling_rate bigint NOT NULL DEFAULT 0,
        group_sampling double precision NOT NULL DEFAULT 1,
        groups bigint,
        groups_lower bigint,
        groups_upper bigint,
        message text,
        approximate jsonb,
        written_at timestamptz NOT NULL,
        PRIMARY KEY (analysis, window_end, window_start))
      """;

  // For tables older than these columns.
  private static final String ADD_COLUMNS =
      "ALTER TABLE flowmon_windows ADD COLUMN IF NOT EXISTS arrived_through timestamptz,"
          + " ADD COLUMN IF NOT EXISTS final_at timestamptz,"
          + " ADD COLUMN IF NOT EXISTS sampled_flows bigint NOT NULL DEFAULT 0,"
          + " ADD COLUMN IF NOT EXISTS sampling_rate bigint NOT NULL DEFAULT 0,"
          + " ADD COLUMN IF NOT EXISTS group_sampling double precision NOT NULL DEFAULT 1,"
          + " ADD COLUMN IF NOT EXISTS groups bigint,"
          + " ADD COLUMN IF NOT EXISTS groups_lower bigint,"
          + " ADD COLUMN IF NOT EXISTS groups_upper bigint,"
          + " ADD COLUMN IF NOT EXISTS approximate jsonb";

  // A table with one column of each later version has all.
  private static final List<String> ADDED =
      List.of("final_at", "group_sampling", "groups_upper", "approximate");

  private final String name;
  private final List<ReportColumn> columns;

  PostgresTable(String analysis, List<ReportColumn> columns) {
    this.name = nameOf(analysis);
    this.columns = columns;
  }

  static String nameOf(String analysis) {
    return "report_" + analysis;
  }

  List<ReportColumn> columns() {
    return columns;
  }

  /** Creates the table if there is none; adds missing columns. */
  void create(Connection connection) throws SQLException, PostgresRejectedException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SELECT pg_advisory_xact_lock(" + CREATION_LOCK + ")");
      statement.execute(CREATE_WINDOWS);
      if (!found(connection, "flowmon_windows").keySet().containsAll(ADDED)) {
        statement.execute(ADD_COLUMNS);
      }
      statement.execute(
          "CREATE TABLE IF NOT EXISTS \""
              + name
              + "\" (window_start timestamptz NOT NULL, window_end timestamptz NOT NULL,"
              + " revision integer NOT NULL, row_key text NOT NULL, row_number integer NOT NULL, "
              + columns.stream()
                  .map(column -> quoted(column) + " " + type(column))
                  .collect(Collectors.joining(", "))
              + ", PRIMARY KEY (window_end, window_start, row_key))");
      Map<String, String> found = found(connection, name);
      for (ReportColumn column : columns) {
        String type = found.get(column.name());
        if (type == null) {
          statement.execute(
              "ALTER TABLE \"" + name + "\" ADD COLUMN " + quoted(column) + " " + type(column));
        } else if (!type.equals(type(column))) {
          throw new PostgresRejectedException(
              "table "
                  + name
                  + ": column "
                  + column.name()
                  + " is "
                  + type
                  + ", the analysis writes "
                  + type(column)
                  + "; rename the table (ALTER TABLE "
                  + name
                  + " RENAME TO "
                  + name
                  + "_old) or drop it, and it is made anew",
              null);
        }
      }
    }
    connection.commit();
  }

  private static Map<String, String> found(Connection connection, String table)
      throws SQLException {
    String sql =
        "SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute"
            + " WHERE attrelid = to_regclass(?) AND attnum > 0 AND NOT attisdropped";
    Map<String, String> types = new HashMap<>();
    try (PreparedStatement select = connection.prepareStatement(sql)) {
      select.setString(1, "\"" + table + "\"");
      try (ResultSet rows = select.executeQuery()) {
        while (rows.next()) {
          types.put(rows.getString(1), rows.getString(2));
        }
      }
    }
    return types;
  }

  private static String quoted(ReportColumn column) {
    return "\"" + column.name() + "\"";
  }

  // The type's name in format_type.
  private static String type(ReportColumn column) {
    return switch (column.kind()) {
      case BOOLEAN -> "boolean";
      case LONG -> column.wide() ? "numeric(39,0)" : "bigint";
      case TIMESTAMP -> "timestamp with time zone";
      case DURATION -> "interval";
      case DOUBLE -> "double precision";
      case ADDRESS -> "inet";
      case TEXT -> "text";
    };
  }

  /** Replaces the window's rows by the report's, within the caller's transaction. */
  void replace(Connection connection, Report report) throws SQLException {
    OffsetDateTime start = time(report.windowStart());
    OffsetDateTime end = time(report.windowEnd());
    String delete = "DELETE FROM \"" + name + "\" WHERE window_end = ? AND window_start = ?";
    try (PreparedStatement statement = connection.prepareStatement(delete)) {
      statement.setObject(1, end);
      statement.setObject(2, start);
      statement.executeUpdate();
    }
    ResultTable rows = report.rows();
    try (PreparedStatement statement = connection.prepareStatement(insert())) {
      for (int row = 0; row < rows.rowCount(); row++) {
        statement.setObject(1, start);
        statement.setObject(2, end);
        statement.setInt(3, report.revision());
        statement.setString(4, text(report.rowKey(row)));
        statement.setInt(5, row + 1);
        for (int c = 0; c < columns.size(); c++) {
          set(statement, 6 + c, rows, row, c);
        }
        statement.addBatch();
      }
      statement.executeBatch();
    }
  }

  private String insert() {
    String names = columns.stream().map(c -> ", " + quoted(c)).collect(Collectors.joining());
    String places =
        columns.stream()
            .map(
                column ->
                    switch (column.kind()) {
                      case ADDRESS -> ", ?::inet";
                      case DURATION -> ", ?::interval";
                      default -> ", ?";
                    })
            .collect(Collectors.joining());
    return "INSERT INTO \""
        + name
        + "\" (window_start, window_end, revision, row_key, row_number"
        + names
        + ") VALUES (?, ?, ?, ?, ?"
        + places
        + ")";
  }

  private void set(PreparedStatement statement, int index, ResultTable rows, int row, int column)
      throws SQLException {
    boolean isNull = rows.isNull(row, column);
    switch (columns.get(column).kind()) {
      case BOOLEAN -> {
        if (isNull) {
          statement.setNull(index, Types.BOOLEAN);
        } else {
          statement.setBoolean(index, rows.longValue(row, column) != 0);
        }
      }
      case LONG -> {
        if (isNull) {
          statement.setNull(index, Types.NUMERIC);
        } else if (columns.get(column).wide()) {
          statement.setBigDecimal(index, new BigDecimal(rows.bigValue(row, column)));
        } else {
          statement.setLong(index, rows.longValue(row, column));
        }
      }
      case TIMESTAMP -> {
        if (isNull) {
          statement.setNull(index, Types.TIMESTAMP_WITH_TIMEZONE);
        } else {
          statement.setObject(index, time(rows.longValue(row, column)));
        }
      }
      case DOUBLE -> {
        if (isNull) {
          statement.setNull(index, Types.DOUBLE);
        } else {
          statement.setDouble(index, rows.doubleValue(row, column));
        }
      }
      case DURATION ->
          statement.setString(index, isNull ? null : rows.bigValue(row, column) + " microseconds");
      case ADDRESS -> statement.setString(index, isNull ? null : rows.formatted(row, column));
      case TEXT -> statement.setString(index, text(rows.text(row, column)));
    }
  }

  /** Replaces NUL, the only character that PostgreSQL's text cannot hold. */
  static String text(String value) {
    return value == null ? null : value.replace('\0', '\uFFFD');
  }

  /** Converts a time in microseconds; null if it is unknown. */
  static OffsetDateTime time(long micros) {
    return micros == HistoryAnswer.UNKNOWN
        ? null
        : FlowTime.instant(micros).atOffset(ZoneOffset.UTC);
  }
}
