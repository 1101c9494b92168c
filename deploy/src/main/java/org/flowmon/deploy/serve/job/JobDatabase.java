package org.flowmon.deploy.serve.job;

import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.jobs.alert.Alert;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.sink.postgres.StoredAlerts;
import org.flowmon.jobs.sink.postgres.StoredReports;

/** The reports and alerts that a job keeps in PostgreSQL, as long as that keeps them. */
final class JobDatabase implements ReportStore {
  // Answers of several requests at a time are made beside each other.
  private static final int ANSWERS = 8;

  private final StoredReports stored;
  private final StoredAlerts alerts;

  JobDatabase(JobConfig.Postgres postgres) {
    this.stored = new StoredReports(postgres);
    this.alerts = new StoredAlerts(postgres);
  }

  @Override
  public String name() {
    return "database";
  }

  @Override
  public ServedJob.State state() {
    try {
      stored.mustAnswer();
      return new ServedJob.State("ok", null);
    } catch (SQLException e) {
      return new ServedJob.State("failed", reason(e));
    }
  }

  private String reason(SQLException e) {
    return "PostgreSQL at " + stored.place() + ": " + e.getMessage();
  }

  @Override
  public Found reports(Asked asked, int least, int most) {
    long to = asked.last() == Long.MAX_VALUE ? asked.to() : Math.min(asked.to(), asked.last() + 1);
    try {
      StoredReports.Found found =
          stored.newest(
              new StoredReports.Asked(asked.analysis(), asked.from(), to, asked.withEmpty()),
              least,
              most,
              HeapBudget.Part.SERVED_REPORTS.bytes() / ANSWERS);
      return new Found(found.reports().stream().map(JobDatabase::kept).toList(), found.isCut());
    } catch (StoredReports.TooManyException e) {
      throw new Problem(
          Problem.Code.TOO_MANY_ROWS,
          e.getMessage()
              + "; name an analysis, or give the server more memory: FLOWMON_JAVA_OPTS=-Xmx…",
          e);
    } catch (SQLException e) {
      throw new Problem(Problem.Code.UNAVAILABLE, reason(e), e);
    }
  }

  /** Empty if the job has not made the table of alerts; throws a {@link Problem} if it is away. */
  Optional<List<Alert>> alerts(StoredAlerts.Asked asked, int most) {
    try {
      return alerts.newest(asked, most);
    } catch (SQLException e) {
      throw new Problem(Problem.Code.UNAVAILABLE, reason(e), e);
    }
  }

  /** The alert of an id, if it is there; throws a {@link Problem} if the database is away. */
  Optional<Alert> alert(String id) {
    try {
      return alerts.one(id);
    } catch (SQLException e) {
      throw new Problem(Problem.Code.UNAVAILABLE, reason(e), e);
    }
  }

  private static Kept kept(StoredReports.Stored one) {
    return new Kept(
        one.analysis(),
        one.start(),
        one.end(),
        one.revision(),
        one.isUpdated(),
        one.isComplete(),
        one.rows(),
        one.messages());
  }

  @Override
  public void close() {
    stored.close();
    alerts.close();
  }
}
