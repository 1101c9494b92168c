package org.flowmon.jobs.sink.postgres;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.report.Confidence;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.report.ReportColumn;
import org.flowmon.jobs.report.ReportLogics;
import org.flowmon.jobs.report.json.ReportJson;
import org.flowmon.udaf.group.GroupEstimate;
import org.jspecify.annotations.Nullable;

/** A connection to the database of reports, opened when first needed and again when lost. */
final class PostgresStore implements AutoCloseable {
  // Errors that may pass: connection (08), rollback (40), resources (53), state (55), intervention
  // (57), system (58), and a server that is read-only until a failover is done.
  private static final List<String> TRANSIENT = List.of("08", "40", "53", "55", "57", "58");
  private static final String READ_ONLY = "25006";

  // Undefined table, undefined column, another type: the cached table may be outdated.
  private static final List<String> CHANGED = List.of("42P01", "42703", "42804");

  private static final List<String> WINDOW = PostgresTable.windowColumnsOfReports();

  private static final String PUT_WINDOW =
      """
      INSERT INTO flowmon_windows AS w (%s, written_at)
      VALUES (%s, ?::jsonb, ?::jsonb, clock_timestamp())
      ON CONFLICT (analysis, window_end, window_start) DO UPDATE SET %s, written_at = excluded.written_at,
        updated = w.updated OR w.revision / %d < excluded.revision / %d
      WHERE w.revision <= excluded.revision
      """
          .formatted(
              String.join(", ", WINDOW),
              String.join(", ", Collections.nCopies(WINDOW.size() - 2, "?")),
              WINDOW.stream()
                  .skip(3)
                  .map(column -> column + " = excluded." + column)
                  .collect(Collectors.joining(", ")),
              Report.UPDATE,
              Report.UPDATE);

  private final JobConfig.Postgres postgres;
  private final @Nullable ReportRetention retention;
  private final Map<String, PostgresTable> tables = new HashMap<>();
  private @Nullable Connection connection;

  PostgresStore(JobConfig.Postgres postgres) {
    this.postgres = postgres;
    this.retention =
        postgres.retention() == null ? null : new ReportRetention(postgres.retention());
  }

  String place() {
    return postgres.place();
  }

  /**
   * Replaces a window's rows; false if a higher revision is there. A table dropped or altered since
   * is created again. PostgresRejectedException: it would be refused again; SQLException: a later
   * attempt may succeed.
   */
  boolean store(Report report) throws PostgresRejectedException, SQLException {
    Connection open = connection();
    boolean known = tables.containsKey(report.analysis());
    try {
      return attempt(open, report);
    } catch (SQLException e) {
      if (isTransient(e)) {
        close();
        throw e;
      }
      rollback(open);
      if (known && CHANGED.contains(e.getSQLState())) {
        return store(report); // once: the table is read anew, and created if it is gone
      }
      throw new PostgresRejectedException(
          "%s in %s: %s (SQL state %s); %s"
              .formatted(
                  PostgresTable.nameOf(report.analysis()),
                  place(),
                  e.getMessage(),
                  e.getSQLState(),
                  advice(e)),
          e);
    } catch (PostgresRejectedException | RuntimeException e) {
      rollback(open);
      throw e instanceof PostgresRejectedException rejected
          ? rejected
          : new PostgresRejectedException(
              PostgresTable.nameOf(report.analysis()) + ": a value cannot be stored: " + e, e);
    }
  }

  /** An analysis whose table does not fit is left to its first report, which says so. */
  void createTables(List<AnalysisConfig> analyses) throws SQLException {
    Connection open = connection();
    for (AnalysisConfig analysis : analyses) {
      try {
        table(open, analysis.name(), ReportLogics.of(analysis).open(analysis));
      } catch (PostgresRejectedException e) {
        rollback(open);
      } catch (SQLException e) {
        if (isTransient(e)) {
          throw e;
        }
        rollback(open);
      }
    }
  }

  private boolean attempt(Connection open, Report report)
      throws PostgresRejectedException, SQLException {
    PostgresTable table = table(open, report.analysis(), report.columns());
    boolean newer = putWindow(open, report);
    if (newer) {
      table.replace(open, report);
      if (retention != null) {
        retention.expire(open, report.analysis(), report.windowEnd());
      }
    }
    open.commit();
    return newer;
  }

  private static String advice(SQLException e) {
    String state = e.getSQLState() == null ? "" : e.getSQLState();
    if (state.equals("42501")) {
      return "grant the job's role what it needs: it creates tables in its schema, and selects,"
          + " inserts, updates and deletes in them";
    }
    if (state.startsWith("42")) {
      return "the table is not what this analysis writes: rename or drop it, and it is created"
          + " anew";
    }
    return "the report's values do not fit the table";
  }

  private static boolean isTransient(SQLException e) {
    String state = e.getSQLState();
    return state == null
        || state.equals(READ_ONLY)
        || TRANSIENT.stream().anyMatch(state::startsWith);
  }

  private Connection connection() throws SQLException {
    if (connection != null) {
      return connection;
    }
    Connection opened = PostgresConnection.open(postgres, Map.of());
    opened.setAutoCommit(false);
    connection = opened;
    tables.clear();
    return opened;
  }

  private PostgresTable table(Connection open, String analysis, List<ReportColumn> columns)
      throws SQLException, PostgresRejectedException {
    PostgresTable table = tables.get(analysis);
    if (table == null || !table.columns().equals(columns)) {
      table = new PostgresTable(analysis, columns);
      table.create(open);
      tables.put(analysis, table);
    }
    return table;
  }

  private boolean putWindow(Connection open, Report report) throws SQLException {
    Confidence confidence = report.confidence();
    ArrivalCounts counts = confidence.counts();
    try (PreparedStatement put = open.prepareStatement(PUT_WINDOW)) {
      put.setString(1, report.analysis());
      put.setObject(2, PostgresTable.time(report.windowStart()));
      put.setObject(3, PostgresTable.time(report.windowEnd()));
      put.setInt(4, report.revision());
      put.setInt(5, report.rows().rowCount());
      put.setString(6, confidence.history().text());
      PostgresTable.setTime(put, 7, confidence.asOf());
      PostgresTable.setTime(put, 8, confidence.historyFrom());
      PostgresTable.setTime(put, 9, confidence.historyThrough());
      PostgresTable.setTime(put, 10, confidence.arrivedThrough());
      PostgresTable.setTime(put, 11, confidence.finalAt());
      put.setLong(12, counts.flows());
      put.setLong(13, counts.late());
      put.setLong(14, counts.ahead());
      put.setLong(15, counts.lost());
      put.setLong(16, counts.sampled());
      put.setLong(17, counts.samplingRate());
      put.setDouble(18, confidence.groupSampling());
      GroupEstimate groups = confidence.groupEstimate();
      PostgresTable.setLong(put, 19, groups.value() < 0, groups.value());
      PostgresTable.setLong(put, 20, groups.lower() < 0, groups.lower());
      PostgresTable.setLong(put, 21, groups.upper() < 0, groups.upper());
      put.setString(22, PostgresTable.text(confidence.message()));
      put.setString(
          23,
          report.approximations().isEmpty()
              ? null
              : PostgresTable.text(ReportJson.approximations(report)));
      put.setString(
          24,
          confidence.enrichment().isEmpty()
              ? null
              : PostgresTable.text(ReportJson.enrichment(confidence)));
      return put.executeUpdate() == 1;
    }
  }

  private void rollback(Connection open) throws SQLException {
    tables.clear();
    try {
      open.rollback();
    } catch (SQLException e) {
      close();
      throw e;
    }
  }

  @Override
  public void close() {
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
