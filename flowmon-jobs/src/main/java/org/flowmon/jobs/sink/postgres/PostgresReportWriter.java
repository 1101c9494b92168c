package org.flowmon.jobs.sink.postgres;

import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.report.Report;

/** Writes reports, and counts their rows in {@code report_rows}, too. */
final class PostgresReportWriter extends PostgresWriter<Report> {
  private final Counter rows;

  PostgresReportWriter(PostgresStore store, MetricGroup metrics, ProcessingTimeService time) {
    this(store, time, metrics.addGroup("flowmon"));
  }

  private PostgresReportWriter(
      PostgresStore store, ProcessingTimeService time, MetricGroup flowmon) {
    super(store, "reports", flowmon, time);
    rows = flowmon.counter("report_rows");
  }

  @Override
  void countStored(Report report) {
    rows.inc(report.rows().rowCount());
  }
}
