package org.flowmon.jobs.sink.postgres;

import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.flink.api.common.operators.ProcessingTimeService;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.report.Report;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes reports as they come. Without the database they wait and are retried with growing pauses.
 * A checkpoint passes only after all are written, and fails after {@link #FLUSH_LIMIT_MILLIS}: then
 * the job restarts and makes them again. So none is lost.
 *
 * <p>One that the database refuses (another type of table, a missing permission) always would be:
 * it is counted in {@code rejected_reports} and logged with a remedy, the others go on. It stays in
 * Kafka if its analysis writes there. Metrics in group {@code flowmon}: {@code reports}, {@code
 * report_rows}, {@code older_reports} (a higher revision was there), {@code rejected_reports},
 * {@code retries}, {@code waiting_reports}.
 */
final class PostgresReportWriter implements SinkWriter<Report> {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresReportWriter.class);
  private static final long FLUSH_LIMIT_MILLIS = 60_000;
  private static final long FIRST_PAUSE_MILLIS = 100;
  private static final long LONGEST_PAUSE_MILLIS = 5_000;
  private static final int MAX_WAITING = 1_000;

  private final PostgresStore store;
  private final ProcessingTimeService time;
  private final Deque<Report> waiting = new ArrayDeque<>();
  private final Counter reports;
  private final Counter reportRows;
  private final Counter olderReports;
  private final Counter rejectedReports;
  private final Counter retries;
  private long pauseMillis;
  private long nextAttempt;
  private SQLException lastFailure = new SQLException("not tried yet");

  PostgresReportWriter(PostgresStore store, MetricGroup metrics, ProcessingTimeService time) {
    this.store = store;
    this.time = time;
    MetricGroup group = metrics.addGroup("flowmon");
    reports = group.counter("reports");
    reportRows = group.counter("report_rows");
    olderReports = group.counter("older_reports");
    rejectedReports = group.counter("rejected_reports");
    retries = group.counter("retries");
    group.gauge("waiting_reports", (Gauge<Integer>) waiting::size);
  }

  @Override
  public void write(Report report, Context context) throws IOException, InterruptedException {
    waiting.add(report);
    writeWhatWaits();
    if (waiting.size() >= MAX_WAITING) {
      flush(false); // bounded memory: the stream waits
    }
  }

  @Override
  public void flush(boolean endOfInput) throws IOException, InterruptedException {
    long limit = time.getCurrentProcessingTime() + FLUSH_LIMIT_MILLIS;
    writeWhatWaits();
    while (!waiting.isEmpty()) {
      if (time.getCurrentProcessingTime() >= limit) {
        throw new IOException(
            "%s reports could not be written to %s for %s s (%s); none is lost: the job restarts from its last checkpoint and makes them again"
                .formatted(
                    waiting.size(),
                    store.place(),
                    FLUSH_LIMIT_MILLIS / 1000,
                    lastFailure.getMessage()),
            lastFailure);
      }
      Thread.sleep(Math.max(1, nextAttempt - time.getCurrentProcessingTime()));
      writeWhatWaits();
    }
  }

  private void writeWhatWaits() {
    while (!waiting.isEmpty() && time.getCurrentProcessingTime() >= nextAttempt) {
      Report report = waiting.peek();
      try {
        count(report, store.store(report));
        waiting.remove();
        pauseMillis = 0;
        nextAttempt = 0;
      } catch (PostgresRejectedException e) {
        waiting.remove();
        rejectedReports.inc();
        LOG.error("analysis {}: a report was not written to PostgreSQL", report.analysis(), e);
      } catch (SQLException e) {
        pause(e);
      }
    }
  }

  private void count(Report report, boolean written) {
    if (written) {
      reports.inc();
      reportRows.inc(report.rows().rowCount());
    } else {
      olderReports.inc();
    }
  }

  private void pause(SQLException e) {
    lastFailure = e;
    retries.inc();
    pauseMillis =
        Math.min(LONGEST_PAUSE_MILLIS, pauseMillis == 0 ? FIRST_PAUSE_MILLIS : 2 * pauseMillis);
    nextAttempt = time.getCurrentProcessingTime() + pauseMillis;
    LOG.warn(
        "PostgreSQL at {}: {} reports wait, next attempt in {} ms: {}",
        store.place(),
        waiting.size(),
        pauseMillis,
        e.toString());
    // also if no further report comes
    var unused = time.registerTimer(nextAttempt, timestamp -> writeWhatWaits());
  }

  @Override
  public void close() {
    store.close();
  }
}
