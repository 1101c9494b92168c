package org.flowmon.bench.live;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;

/**
 * Four queries with functions at once, from a filled topic to reports, whose answers must match the
 * flows. A run's time is from the job's submission to its end, including its start.
 */
public final class FunctionRates implements Experiment {
  private static final int WINDOW_SECONDS = 10;

  @Override
  public void run(Run run) throws IOException {
    List<AnalysisConfig> analyses = analyses(run);
    long flows = run.number("flows");
    LiveFlows generated = new LiveFlows(flows, run.number("density"), run.number("seed"));
    FunctionCheck check = new FunctionCheck(WINDOW_SECONDS * 1_000_000L);
    LiveCluster cluster = LiveCluster.start(run);
    ReportLog reports = run.open(new ReportLog(cluster.bootstrap()));
    generated.fill(cluster, run);
    JobRounds rounds =
        JobRounds.of(
            run,
            "functions",
            flows,
            round -> {
              LiveCluster.Took took = cluster.run(LiveCluster.Job.analyses(analyses));
              check.clear();
              reports.next(check::add);
              return took;
            });
    long must = run.parameter("must_reach").asLong();
    rounds.plot(run, "measured", must);
    run.progress("comparing a window with its flows");
    generated.generate(check::count);
    check.check();
    run.add(
        new Row()
            .put("analyses", analyses.size())
            .put("flows", flows)
            .put("must_reach", must)
            .put("median", rounds.perSecond().median())
            .put("best", rounds.perSecond().most())
            .put("reached", rounds.reached(run, must))
            .put("job_cpu_us_per_flow", rounds.jobMicros())
            .put("rows_checked", check.rows())
            .put("answers_as_certain", check.answers())
            .put("items_below_lower_bound", check.belowLower()));
  }

  /** The measured analyses. */
  private static List<AnalysisConfig> analyses(Run run) {
    List<AnalysisConfig> all = new ArrayList<>();
    run.textsOf("queries")
        .forEach(
            (name, query) -> {
              if (name.contains(run.text("only"))) {
                // Windows over arrivals: no flow is late, so the result is known.
                String text =
                    String.join(
                        "\n",
                        "name: " + name,
                        "live:",
                        "  query: " + query,
                        "  window: " + WINDOW_SECONDS + "s",
                        "  time: arrival",
                        "report:",
                        "  logic: live",
                        "sinks: [kafka]");
                all.add(AnalysisConfig.parse(name + ".yaml", text));
              }
            });
    if (all.isEmpty()) {
      throw new UsageException(
          "--only " + run.text("only") + ": none of " + run.textsOf("queries").keySet());
    }
    JobAnalyses.check(all);
    return all;
  }
}
