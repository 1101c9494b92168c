package org.flowmon.jobs.sink.postgres;

import java.sql.SQLException;
import org.apache.flink.api.connector.sink2.Sink;
import org.apache.flink.api.connector.sink2.SinkWriter;
import org.apache.flink.api.connector.sink2.WriterInitContext;
import org.flowmon.jobs.alert.Alert;
import org.flowmon.jobs.config.job.JobConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Alerts in PostgreSQL: {@code flowmon_alerts}, a row for each with its last message; {@code
 * docs/format/alerts.md} specifies it. A message replaces one of a smaller number alone: messages
 * that come again change nothing, in whatever order.
 */
public final class PostgresAlerts implements Sink<Alert> {
  private static final long serialVersionUID = 1L;
  private static final Logger LOG = LoggerFactory.getLogger(PostgresAlerts.class);

  private final JobConfig.Postgres postgres;

  public PostgresAlerts(JobConfig.Postgres postgres) {
    this.postgres = postgres;
  }

  /**
   * Makes the table if it is absent, so that readers find it empty.
   *
   * @throws SQLException if the database does not answer or refuses
   */
  public static void createTable(JobConfig.Postgres postgres) throws SQLException {
    try (AlertStore store = new AlertStore(postgres)) {
      store.createTable();
    }
  }

  @Override
  public SinkWriter<Alert> createWriter(WriterInitContext context) {
    try {
      createTable(postgres);
    } catch (SQLException e) {
      LOG.warn(
          "PostgreSQL at {}: the table of alerts is made with the first one: {}",
          postgres.place(),
          e.toString());
    }
    return new PostgresWriter<>(
        new AlertStore(postgres),
        "alerts",
        context.metricGroup().addGroup("flowmon"),
        context.getProcessingTimeService());
  }
}
