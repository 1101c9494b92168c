package org.flowmon.deploy.demo;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.sql.Timestamp;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.flowmon.deploy.embedded.EmbeddedPostgres;

/**
 * Follows the reports in PostgreSQL ({@code docs/format/reports.md}) and tells of those that
 * matter.
 */
final class ReportFeed implements AutoCloseable {
  private static final int ROWS_SHOWN = 5;
  private static final int QUIET_SHOWN = 3;
  private static final String WINDOWS =
      "SELECT analysis, window_start, window_end, revision, row_count, history FROM flowmon_windows"
          + " ORDER BY window_end, analysis";

  private final Connection connection;
  private final Consumer<String> out;
  private final Map<String, Integer> revisions = new HashMap<>();

  private record Window(
      String analysis, Timestamp start, Timestamp end, int revision, int rows, String history) {
    String key() {
      return analysis + ' ' + start + ' ' + end;
    }
  }

  /**
   * @param out takes lines for people
   */
  ReportFeed(EmbeddedPostgres postgres, Consumer<String> out) throws SQLException {
    this.connection = DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), "");
    this.out = out;
  }

  /** Tells of the windows that are new or revised since the last call; returns how many. */
  int poll() throws SQLException {
    if (!exists("flowmon_windows")) {
      return 0;
    }
    List<Window> news = new ArrayList<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(WINDOWS)) {
      while (rows.next()) {
        Window window =
            new Window(
                rows.getString(1),
                rows.getTimestamp(2),
                rows.getTimestamp(3),
                rows.getInt(4),
                rows.getInt(5),
                rows.getString(6));
        Integer before = revisions.put(window.key(), window.revision());
        if (before == null || before != window.revision()) {
          news.add(window);
        }
      }
    }
    int quiet = 0;
    for (Window window : news) {
      quiet += tell(window, quiet < QUIET_SHOWN) ? 0 : 1;
    }
    if (quiet > QUIET_SHOWN) {
      out.accept((quiet - QUIET_SHOWN) + " more reports without anything significant");
    }
    return news.size();
  }

  private boolean exists(String table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT to_regclass(?)")) {
      statement.setString(1, table);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() && rows.getString(1) != null;
      }
    }
  }

  /**
   * Tells of a window; of one without anything significant only if asked to. Returns whether there
   * was.
   */
  private boolean tell(Window window, boolean evenIfQuiet) throws SQLException {
    String sql =
        "SELECT * FROM \"report_"
            + window.analysis()
            + "\" r WHERE window_start = ? AND window_end = ?"
            // of elephants those that are new; of analyses without a verdict all
            + " AND coalesce(to_jsonb(r) ->> 'verdict', 'new') = 'new' ORDER BY row_number";
    List<String> lines = new ArrayList<>();
    int significant = 0;
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setTimestamp(1, window.start());
      statement.setTimestamp(2, window.end());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          if (significant++ < ROWS_SHOWN) {
            lines.add("    " + describe(rows));
          }
        }
      }
    }
    if (significant == 0 && !evenIfQuiet) {
      return false;
    }
    out.accept(
        window.analysis()
            + " "
            + window.start().toInstant()
            + " + "
            + Duration.between(window.start().toInstant(), window.end().toInstant()).toSeconds()
            + " s: "
            + window.rows()
            + " rows, "
            + significant
            + " significant, history "
            + window.history());
    lines.forEach(out);
    return significant > 0;
  }

  private static String describe(ResultSet row) throws SQLException {
    StringJoiner text = new StringJoiner("  ");
    ResultSetMetaData columns = row.getMetaData();
    for (int c = 1; c <= columns.getColumnCount(); c++) {
      Object value = row.getObject(c);
      switch (columns.getColumnName(c)) {
        case "window_start", "window_end", "revision", "row_key", "row_number" -> {}
        default -> {
          if (value != null) {
            text.add(columns.getColumnName(c) + " " + format(value));
          }
        }
      }
    }
    return text.toString();
  }

  private static String format(Object value) {
    return value instanceof Double number ? String.format("%.3g", number) : value.toString();
  }

  /** Reported windows by analysis. */
  Map<String, Long> counts() throws SQLException {
    Map<String, Long> counts = new TreeMap<>();
    if (exists("flowmon_windows")) {
      try (Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT analysis, count(*) FROM flowmon_windows GROUP BY analysis")) {
        while (rows.next()) {
          counts.put(rows.getString(1), rows.getLong(2));
        }
      }
    }
    return counts;
  }

  /** Waits until no report has come or changed for a while. */
  void settle(Duration quiet, Duration limit) throws SQLException, InterruptedException {
    Instant end = Instant.now().plus(limit);
    Instant quietSince = Instant.now();
    while (Instant.now().isBefore(end) && Instant.now().isBefore(quietSince.plus(quiet))) {
      Thread.sleep(250);
      if (poll() > 0) {
        quietSince = Instant.now();
      }
    }
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
