package org.flowmon.deploy.serve.job;

import java.sql.SQLException;
import org.flowmon.deploy.serve.http.Problem;
import org.flowmon.flow.memory.HeapBudget;
import org.flowmon.jobs.config.job.JobConfig;
import org.flowmon.jobs.sink.postgres.StoredReports;

/** The reports that a job keeps in PostgreSQL, as long as that keeps them. */
final class JobDatabase implements ReportStore {
  // Answers of several requests at a time are made beside each other.
  private static final int ANSWERS = 8;

  private final StoredReports stored;

  JobDatabase(JobConfig.Postgres postgres) {
    this.stored = new StoredReports(postgres);
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
  }
}
