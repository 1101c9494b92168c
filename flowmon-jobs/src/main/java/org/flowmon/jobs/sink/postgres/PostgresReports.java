package org.flowmon.jobs.sink.postgres;

import java.sql.SQLException;
import java.util.List;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.sink.SinkFilter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports in PostgreSQL: {@code report_<analysis>} of its columns, {@code flowmon_windows} of a row
 * per window; {@code docs/format/reports.md} specifies them. A report replaces its window's rows in
 * one transaction, unless a higher revision is there: a repeat changes nothing, rows appear exactly
 * once. One subtask writes all of an analysis; the row in {@code flowmon_windows} is a lock against
 * other writers.
 */
public final class PostgresReports implements Sink<Report> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(PostgresReports.class);
  private static final String SINK = "postgres";

  private final JobConfig.Postgres postgres;
  private final List<AnalysisConfig> analyses;

  /** Tables of these analyses are made when the sink starts, so that readers find them empty. */
  public PostgresReports(JobConfig.Postgres postgres, List<AnalysisConfig> analyses) {
    this.postgres = postgres;
    this.analyses = analyses.stream().filter(analysis -> analysis.sinks().contains(SINK)).toList();
  }

  /**
   * Makes the tables of analyses that are absent, as their first reports would.
   *
   * @throws SQLException if the database does not answer or refuses
   */
  public static void createTables(JobConfig.Postgres postgres, List<AnalysisConfig> analyses)
      throws SQLException {
    try (PostgresStore store = new PostgresStore(postgres)) {
      store.createTables(analyses);
    }
  }

  /** The reports whose analyses name the sink {@code postgres}; to be keyed by analysis. */
  public static SingleOutputStreamOperator<Report> chosen(
      DataStream<Report> reports, List<AnalysisConfig> analyses) {
    return reports.filter(new SinkFilter(SINK, analyses));
  }

  @Override
  public SinkWriter<Report> createWriter(WriterInitContext context) {
    try {
      createTables(postgres, analyses);
    } catch (SQLException e) {
      LOG.warn(
          "PostgreSQL at {}: each table is made with its first report: {}",
          postgres.place(),
          e.toString());
    }
    return new PostgresReportWriter(
        new PostgresStore(postgres), context.metricGroup(), context.getProcessingTimeService());
  }
}
