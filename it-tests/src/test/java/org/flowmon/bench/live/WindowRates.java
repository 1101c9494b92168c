package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.command.UsageException;

/**
 * Flows a second of each analysis alone by the length of its windows; with {@code --past} also with
 * lookups of each window's history.
 */
public final class WindowRates implements Experiment {
  @Override
  public void run(Run run) throws IOException {
    long flows = run.number("flows");
    long density = run.number("density");
    List<Integer> windows = run.integers("windows");
    for (int i = 1; i < windows.size(); i++) {
      if (windows.get(i) <= windows.get(i - 1)) {
        throw new UsageException("--windows are ascending, found " + windows);
      }
    }
    List<String> analyses = run.texts("analyses");
    LiveAnalyses.of(analyses, windows.get(0)); // before anything is started
    LiveCluster cluster = LiveCluster.start(run);
    LiveFlows generated = new LiveFlows(flows, density, run.number("seed"));
    Optional<Path> archive = Optional.empty();
    if (run.declares("past")) {
      archive = Optional.of(generated.fillWithPast(cluster, run, run.number("past"), true));
    } else {
      generated.fill(cluster, run);
    }
    run.progress("warming up");
    int last = windows.get(windows.size() - 1);
    cluster.run(LiveCluster.Job.analyses(archive, LiveAnalyses.of(analyses, last)));
    ReportLog reports = run.open(new ReportLog(cluster.bootstrap()));
    reports.next();
    for (String analysis : analyses) {
      for (int seconds : windows) {
        LiveCluster.Took took =
            cluster.run(
                LiveCluster.Job.analyses(archive, List.of(LiveAnalyses.of(analysis, seconds))));
        List<ReportLog.Window> reported = ReportLog.withRows(reports.next());
        Row row =
            new Row()
                .put("analysis", analysis)
                .put("window_s", seconds)
                .put("flows_per_window", density * seconds)
                .put("windows_reported", reported.size())
                .put("flows_per_second", flows / took.seconds())
                // The rate needed to report each window within a second.
                .put("needed_each_second", density * seconds)
                .put("job_cpu_us_per_flow", took.jobCpu() * 1e6 / flows);
        run.add(archive.isEmpty() ? row : row.put("history_exact", ReportLog.exact(reported)));
      }
    }
  }
}
