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

/** The tables of reports: of their windows, and of the rows of each analysis. */
final class PostgresStore extends TableStore<Report> {
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

  private final @Nullable ReportRetention retention;
  private final Map<String, PostgresTable> tables = new HashMap<>();

  PostgresStore(JobConfig.Postgres postgres) {
    super(postgres);
    this.retention =
        postgres.retention() == null ? null : new ReportRetention(postgres.retention());
  }

  @Override
  String tableOf(Report report) {
    return PostgresTable.nameOf(report.analysis());
  }

  @Override
  boolean isKnown(Report report) {
    return tables.containsKey(report.analysis());
  }

  @Override
  void forget() {
    tables.clear();
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

  @Override
  boolean attempt(Connection open, Report report) throws PostgresRejectedException, SQLException {
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
}
