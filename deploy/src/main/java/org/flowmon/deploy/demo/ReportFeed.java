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
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.flowmon.deploy.demo.service.DemoAnalyses;
import org.flowmon.deploy.embedded.EmbeddedPostgres;
import org.flowmon.deploy.output.OrdinaryRows;

/** Follows the reports in PostgreSQL ({@code docs/format/reports.md}), prints those that matter. */
final class ReportFeed implements AutoCloseable {
  private static final int ROWS_SHOWN = 5;
  private static final int QUIET_SHOWN = 3;

  /** Characters of a line, unless a single value is longer. */
  private static final int WIDTH = 80;

  /** Polls that a window waits: windows end together in no order, as each looks up its history. */
  private static final int HELD_POLLS = 2;

  private static final String WINDOWS =
      "SELECT analysis, window_start, window_end, revision, row_count, history FROM"
          + " flowmon_windows";

  private final Connection connection;
  private final Consumer<String> out;
  private final Detection detection;
  private final Map<String, Integer> revisions = new HashMap<>();
  private final Map<String, Held> held = new HashMap<>();
  private long polls;

  private record Window(
      String analysis, Timestamp start, Timestamp end, int revision, int rows, String history) {
    String key() {
      return analysis + ' ' + start + ' ' + end;
    }
  }

  /** A window that is not printed yet, and the poll that found it. */
  private record Held(Window window, long poll) {}

  /** {@code detection} takes rows that are out of the ordinary, once. */
  ReportFeed(EmbeddedPostgres postgres, Detection detection, Consumer<String> out)
      throws SQLException {
    this.detection = detection;
    this.connection =
        DriverManager.getConnection(postgres.jdbcUrl(), postgres.user(), postgres.password());
    this.out = out;
  }

  /** Finds new or revised windows and prints those that have waited; returns how many it found. */
  int poll() throws SQLException {
    polls++;
    int found = find();
    Optional<Timestamp> due =
        held.values().stream()
            .filter(waiting -> polls - waiting.poll() >= HELD_POLLS)
            .map(waiting -> waiting.window().end())
            .max(Comparator.naturalOrder());
    if (due.isPresent()) {
      tellUpTo(due.get());
    }
    return found;
  }

  void flush() throws SQLException {
    Optional<Timestamp> last =
        held.values().stream()
            .map(waiting -> waiting.window().end())
            .max(Comparator.naturalOrder());
    if (last.isPresent()) {
      tellUpTo(last.get());
    }
  }

  private int find() throws SQLException {
    if (!exists("flowmon_windows")) {
      return 0;
    }
    int found = 0;
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
          held.put(window.key(), new Held(window, polls));
          found++;
          detect(window);
        }
      }
    }
    return found;
  }

  /** Prints all windows that end no later, in the order of their ends. */
  private void tellUpTo(Timestamp end) throws SQLException {
    List<Window> windows =
        held.values().stream()
            .map(Held::window)
            .filter(window -> !window.end().after(end))
            .sorted(Comparator.comparing(Window::end).thenComparing(Window::analysis))
            .toList();
    int quiet = 0;
    int most = detection.hasTruth() ? 0 : QUIET_SHOWN;
    for (Window window : windows) {
      held.remove(window.key());
      quiet += tell(window, quiet < most) ? 0 : 1;
    }
    if (quiet > most && !detection.hasTruth()) {
      out.accept((quiet - QUIET_SHOWN) + " more reports without anything new");
    }
  }

  private boolean exists(String table) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement("SELECT to_regclass(?)")) {
      statement.setString(1, table);
      try (ResultSet rows = statement.executeQuery()) {
        return rows.next() && rows.getString(1) != null;
      }
    }
  }

  /** Prints a window, even without news if asked to; returns whether there was news. */
  private boolean tell(Window window, boolean evenIfQuiet) throws SQLException {
    String sql = select(window, "r.*, to_jsonb(r) ->> 'verdict', to_jsonb(r) ->> 'days_used'");
    List<String> lines = new ArrayList<>();
    int shown = 0;
    Map<String, Integer> verdicts = new TreeMap<>();
    boolean judged = false;
    String days = "";
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      statement.setTimestamp(1, window.start());
      statement.setTimestamp(2, window.end());
      try (ResultSet rows = statement.executeQuery()) {
        int columns = rows.getMetaData().getColumnCount() - 2;
        while (rows.next()) {
          String verdict = rows.getString(columns + 1);
          days = Objects.requireNonNullElse(rows.getString(columns + 2), "");
          judged |= verdict != null;
          if (verdict != null && OrdinaryRows.isOrdinary(verdict)) {
            continue;
          }
          if (!isNews(window, rows, columns)) {
            continue;
          }
          if (verdict != null) {
            verdicts.merge(verdict, 1, Integer::sum);
          }
          if (shown++ < ROWS_SHOWN) {
            lines.addAll(wrapped(described(rows, columns)));
          }
        }
      }
    }
    if (shown == 0 && !evenIfQuiet) {
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
            + (window.rows() == 1 ? " row" : " rows")
            + (judged ? ", " + (verdicts.isEmpty() ? "nothing new" : counted(verdicts)) : "")
            + ", "
            + history(window.history(), days));
    lines.forEach(out);
    return shown > 0;
  }

  private static String select(Window window, String items) {
    return "SELECT "
        + items
        + " FROM \"report_"
        + window.analysis()
        + "\" r WHERE window_start = ? AND window_end = ? ORDER BY row_number";
  }

  private static String subject(Window window) {
    return DemoAnalyses.of(window.analysis()).map(DemoAnalyses.Finder::subject).orElse("");
  }

  /** Hands rows that are out of the ordinary on; a change is part of the matrix's verdict. */
  private void detect(Window window) throws SQLException {
    String items = "to_jsonb(r) ->> 'verdict', to_jsonb(r) ->> 'part', to_jsonb(r) ->> ?";
    try (PreparedStatement statement = connection.prepareStatement(select(window, items))) {
      statement.setString(1, subject(window));
      statement.setTimestamp(2, window.start());
      statement.setTimestamp(3, window.end());
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          String verdict = rows.getString(1);
          if (verdict != null
              && !OrdinaryRows.isOrdinary(verdict)
              && !"change".equals(rows.getString(2))) {
            detection.row(
                window.analysis(),
                Objects.requireNonNullElse(rows.getString(3), ""),
                window.key(),
                window.end().getTime(),
                System.currentTimeMillis());
          }
        }
      }
    }
  }

  private boolean isNews(Window window, ResultSet row, int columns) throws SQLException {
    String name = subject(window);
    String value = "";
    for (int c = 1; c <= columns && !name.isEmpty(); c++) {
      if (row.getMetaData().getColumnName(c).equals(name)) {
        value = Objects.requireNonNullElse(row.getString(c), "");
      }
    }
    return detection.isNews(window.analysis(), value, window.key());
  }

  private static String counted(Map<String, Integer> verdicts) {
    StringJoiner text = new StringJoiner(", ");
    verdicts.forEach((verdict, rows) -> text.add(rows + " " + verdict));
    return text.toString();
  }

  /** {@code days} have history of the hour; empty if the report does not give them. */
  private static String history(String status, String days) {
    if (status.equals("none")) {
      return "nothing to compare"; // without rows, or without history of its own
    }
    if (days.isEmpty()) {
      return "history " + status;
    }
    return days.equals("0")
        ? "no past day in history"
        : "history " + status + " over " + days + (days.equals("1") ? " past day" : " past days");
  }

  private static List<String> wrapped(List<String> parts) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder("  ");
    for (String part : parts) {
      if (line.length() + 2 + part.length() > WIDTH && !line.toString().isBlank()) {
        lines.add(line.toString());
        line = new StringBuilder("      ");
      }
      line.append("  ").append(part);
    }
    lines.add(line.toString());
    return lines;
  }

  private static List<String> described(ResultSet row, int count) throws SQLException {
    List<String> parts = new ArrayList<>();
    ResultSetMetaData columns = row.getMetaData();
    for (int c = 1; c <= count; c++) {
      Object value = row.getObject(c);
      switch (columns.getColumnName(c)) {
        case "window_start", "window_end", "revision", "row_key", "row_number" -> {}
        default -> {
          if (value != null) {
            parts.add(columns.getColumnName(c) + " " + format(value));
          }
        }
      }
    }
    return parts;
  }

  private static String format(Object value) {
    if (value instanceof Double number) {
      return String.format(Math.abs(number) < 1_000 ? "%.3g" : "%,.0f", number);
    }
    return value.toString();
  }

  Map<String, DemoSummary.Reported> counts() throws SQLException {
    Map<String, DemoSummary.Reported> counts = new TreeMap<>();
    if (exists("flowmon_windows")) {
      try (Statement statement = connection.createStatement();
          ResultSet rows =
              statement.executeQuery(
                  "SELECT analysis, count(*), sum(row_count) FROM flowmon_windows GROUP BY"
                      + " analysis")) {
        while (rows.next()) {
          String analysis = rows.getString(1);
          counts.put(
              analysis,
              new DemoSummary.Reported(rows.getLong(2), rows.getLong(3), verdicts(analysis)));
        }
      }
    }
    return counts;
  }

  private Map<String, Long> verdicts(String analysis) throws SQLException {
    Map<String, Long> verdicts = new TreeMap<>();
    try (Statement statement = connection.createStatement();
        ResultSet rows =
            statement.executeQuery(
                "SELECT to_jsonb(r) ->> 'verdict' AS v, count(*) FROM \"report_"
                    + analysis
                    + "\" r GROUP BY v")) {
      while (rows.next()) {
        if (rows.getString(1) != null) {
          verdicts.put(rows.getString(1), rows.getLong(2));
        }
      }
    }
    return verdicts;
  }

  /** Waits until no report has come or changed for a while, and prints all. */
  void settle(Duration quiet, Duration limit) throws SQLException, InterruptedException {
    Instant end = Instant.now().plus(limit);
    Instant quietSince = Instant.now();
    while (Instant.now().isBefore(end) && Instant.now().isBefore(quietSince.plus(quiet))) {
      Thread.sleep(250);
      // Printed at the end: a file's end closes all of its windows, and they come in no order.
      if (find() > 0) {
        quietSince = Instant.now();
      }
    }
    flush();
  }

  @Override
  public void close() throws SQLException {
    connection.close();
  }
}
