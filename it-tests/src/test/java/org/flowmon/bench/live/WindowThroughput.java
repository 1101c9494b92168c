package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.analysis.AnalysisConfig;
import picocli.CommandLine.Option;

/**
 * Flows a second of each analysis alone by the length of its windows, for {@code bench live
 * windows} and {@code bench live history}.
 */
final class WindowThroughput {
  @Option(
      names = "--windows",
      split = ",",
      paramLabel = "SECONDS",
      defaultValue = "1,3,10,30,100,300,1000",
      description = "Lengths of windows in seconds, ascending; default ${DEFAULT-VALUE}.")
  private List<Integer> windows;

  @Option(
      names = "--density",
      paramLabel = "FLOWS",
      defaultValue = "10000",
      description = "Flows to a second of arrival; default ${DEFAULT-VALUE}.")
  private long density;

  @Option(
      names = "--analyses",
      split = ",",
      paramLabel = "NAME",
      description = "Which; default: all that come along.")
  private List<String> analyses = LiveAnalyses.NAMES;

  void check() {
    for (int i = 0; i < windows.size(); i++) {
      if (windows.get(i) <= (i == 0 ? 0 : windows.get(i - 1))) {
        throw new UsageException("--windows are at least 1 and ascending, found " + windows);
      }
    }
    if (density < 1) {
      throw new UsageException("--density is at least 1, found " + density);
    }
    LiveAnalyses.of(analyses, windows.get(0));
  }

  LiveFlows flows(long flows, long seed) {
    return new LiveFlows(flows, density, seed);
  }

  /**
   * Runs all measurements and shows the results.
   *
   * @param archive for lookups; null for none
   */
  void measure(
      String name, String title, LiveCluster cluster, LiveOptions options, long flows, Path archive)
      throws IOException {
    BenchResult table = new BenchResult("live " + name + ": " + title);
    SvgPlot plot = new SvgPlot(title, "flows per window", true, "flows/s", true);
    options.progress("warming up");
    cluster.run(LiveCluster.Job.analyses(archive, LiveAnalyses.of(analyses, last())));
    try (ReportLog reports = new ReportLog(cluster.bootstrap())) {
      reports.next();
      for (String analysis : analyses) {
        for (int seconds : windows) {
          AnalysisConfig config = LiveAnalyses.of(analysis, seconds);
          LiveCluster.Took took = cluster.run(LiveCluster.Job.analyses(archive, List.of(config)));
          double perSecond = flows / took.seconds();
          options.progress("%s, windows of %d s: %,.0f flows/s", analysis, seconds, perSecond);
          List<ReportLog.Window> reported = ReportLog.withRows(reports.next());
          Map<String, Object> row = new LinkedHashMap<>();
          row.put("analysis", analysis);
          row.put("window_s", (long) seconds);
          row.put("flows_per_window", density * seconds);
          row.put("windows_reported", (long) reported.size());
          row.put("flows_per_second", perSecond);
          // The rate needed to report each window within a second.
          row.put("needed_each_second", density * seconds);
          row.put("job_cpu_us_per_flow", took.jobCpu() * 1e6 / flows);
          if (archive != null) {
            row.put("history_exact", ReportLog.exact(reported));
          }
          table.row(row);
          plot.point(analysis, (double) density * seconds, perSecond);
        }
      }
    }
    for (int seconds : windows) {
      double inWindow = (double) density * seconds;
      plot.point("to be exceeded for 1 s", inWindow, inWindow);
    }
    options.show(name, new ArrayList<>(List.of(table)), plot);
  }

  private int last() {
    return windows.get(windows.size() - 1);
  }
}
