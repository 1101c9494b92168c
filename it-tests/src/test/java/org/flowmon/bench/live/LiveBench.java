package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.jobs.analysis.AnalysisConfig;

/**
 * Flows a second of the job with its defaults, from a full topic to the last window's top k, with
 * and without archive. The time is from the job's submission to its end, including its start.
 */
public final class LiveBench implements Experiment {
  private static final long DENSITY = 100_000;

  @Override
  public void run(Run run) throws IOException {
    long flows = run.number("flows");
    LiveCluster cluster = LiveCluster.start(run);
    long bytes = new LiveFlows(flows, DENSITY, run.number("seed")).fill(cluster, run);
    for (String archive : run.texts("archive")) {
      JobRounds rounds =
          JobRounds.of(
              run,
              archive + " archive",
              flows,
              round -> archive.equals("with") ? archived(cluster, flows) : alone(cluster));
      run.add(
          new Row()
              .put("archive", archive)
              .put("flows", flows)
              .put("parallelism", run.cores("parallelism"))
              .put("flows_per_second_best", rounds.perSecond().most())
              .put("flows_per_second_median", rounds.perSecond().median())
              .put("job_cpu_us_per_flow_median", rounds.jobMicros())
              .put("broker_cpu_us_per_flow_median", rounds.brokerMicros())
              .put("bytes_per_flow", bytes / (double) flows));
    }
  }

  private static LiveCluster.Took alone(LiveCluster cluster) {
    return cluster.run(LiveCluster.Job.analyses(AnalysisConfig.bundled()));
  }

  private static LiveCluster.Took archived(LiveCluster cluster, long flows) throws IOException {
    Path archive = cluster.folder().resolve("archive-new");
    LiveCluster.Took took = cluster.run(LiveCluster.Job.all(archive, AnalysisConfig.bundled()));
    ArchivedFlows.checkAndDelete(archive, flows);
    return took;
  }
}
