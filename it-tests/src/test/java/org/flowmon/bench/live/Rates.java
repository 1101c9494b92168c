package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.jobs.analysis.AnalysisConfig;

/**
 * The rate of the whole path beside the required one. A run's time is from the job's submission to
 * its end, including its start.
 */
public final class Rates implements Experiment {
  /**
   * A job.
   *
   * @param analyses none: all that are shipped
   * @param window seconds; 0: each has its own
   * @param archive none; whole, with the flows themselves, for lookups; own, which the job writes
   * @param must flows a second that the median is to reach; 0: any
   */
  private record Case(String name, List<String> analyses, int window, String archive, long must) {}

  @Override
  public void run(Run run) throws IOException {
    LiveCluster cluster = LiveCluster.start(run);
    ReportLog reports = run.open(new ReportLog(cluster.bootstrap()));
    long flows = run.number("flows");
    long past = run.number("past");
    Path before =
        new LiveFlows(flows, run.number("density"), run.number("seed"))
            .fillWithPast(cluster, run, past, false);
    Path whole = ArchivedFlows.copy(before, cluster.folder().resolve("archive-whole"));
    cluster.run(LiveCluster.Job.archive(whole));
    for (Case one : run.parameters("cases", Case.class)) {
      if (!one.name.contains(run.text("only"))) {
        continue;
      }
      List<AnalysisConfig> analyses =
          LiveAnalyses.of(
              one.analyses.isEmpty() ? AnalysisConfig.names() : one.analyses, one.window);
      List<ReportLog.Window> reported = new ArrayList<>();
      JobRounds rounds =
          JobRounds.of(
              run,
              one.name,
              flows,
              round -> {
                LiveCluster.Took took;
                if (one.archive.equals("own")) {
                  Path own = ArchivedFlows.copy(before, cluster.folder().resolve("archive-own"));
                  took = cluster.run(LiveCluster.Job.all(own, analyses));
                  ArchivedFlows.checkAndDelete(own, past + flows);
                } else {
                  Optional<Path> asked =
                      one.archive.equals("whole") ? Optional.of(whole) : Optional.empty();
                  took = cluster.run(LiveCluster.Job.analyses(asked, analyses));
                }
                List<ReportLog.Window> windows = ReportLog.withRows(reports.next());
                reported.addAll(round > 0 ? windows : List.of());
                return took;
              });
      rounds.plot(run, one.name, one.must);
      run.add(
          new Row()
              .put("case", one.name)
              .put("must_reach", one.must)
              .put("median", rounds.perSecond().median())
              .put("best", rounds.perSecond().most())
              .put("reached", rounds.reached(run, one.must))
              .put("job_cpu_us_per_flow", rounds.jobMicros())
              .put("windows_reported", reported.size())
              .put("history_exact", ReportLog.exact(reported)));
    }
  }
}
