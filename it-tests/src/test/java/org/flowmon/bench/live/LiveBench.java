package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.analysis.AnalysisConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live}: flows a second of the job with its defaults, from a full topic to the
 * last window's top k, with and without archive. The time is from the job's submission to its end,
 * including its start.
 */
@Command(
    name = "live",
    mixinStandardHelpOptions = true,
    description = {
      "Flows a second and CPU per flow from a filled topic to top k, with and without archive.",
      "Each of the commands below is an experiment of its own."
    },
    subcommands = {
      WindowSizes.class,
      WindowHistory.class,
      Rates.class,
      ReportLatency.class,
      Burst.class,
      GroupState.class,
      QueryCounts.class,
      FunctionRates.class,
    })
public final class LiveBench implements Callable<Integer> {
  private static final long FLOWS = 20_000_000;
  private static final long DENSITY = 100_000;

  @Mixin private LiveOptions options;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Rounds after one to warm up; default ${DEFAULT-VALUE}.")
  private int rounds;

  boolean isQuick() {
    return options.quick();
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rounds < 1) {
      throw new UsageException("--rounds is at least 1");
    }
    long flows = options.flows(FLOWS);
    BenchResult result = new BenchResult("live");
    try (LiveCluster cluster = LiveCluster.start(options, "default")) {
      long bytes = new LiveFlows(flows, DENSITY, options.seed()).fill(cluster, options);
      result.row(measure(cluster, false, flows, bytes));
      result.row(measure(cluster, true, flows, bytes));
    }
    options.show("default", List.of(result));
    return 0;
  }

  private Map<String, Object> measure(LiveCluster cluster, boolean archives, long flows, long bytes)
      throws IOException {
    List<LiveCluster.Took> all = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) { // the first warms up
      Path archive = cluster.folder().resolve("archive-" + round);
      LiveCluster.Took took =
          cluster.run(
              archives
                  ? LiveCluster.Job.all(archive, AnalysisConfig.bundled())
                  : LiveCluster.Job.analyses(null, AnalysisConfig.bundled()));
      options.progress(
          "%s archive, round %d: %,.0f flows/s",
          archives ? "with" : "without", round, flows / took.seconds());
      if (round > 0) {
        all.add(took);
      }
      if (archives) {
        Rates.checkAndDelete(archive, flows);
      }
    }
    int median = rounds / 2;
    all.sort(Comparator.comparingDouble(LiveCluster.Took::seconds));
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("archive", archives ? "with" : "without");
    row.put("flows", flows);
    row.put("parallelism", (long) options.parallelism());
    row.put("flows_per_second_best", flows / all.get(0).seconds());
    row.put("flows_per_second_median", flows / all.get(median).seconds());
    all.sort(Comparator.comparingDouble(LiveCluster.Took::jobCpu));
    row.put("job_cpu_us_per_flow_median", all.get(median).jobCpu() * 1e6 / flows);
    all.sort(Comparator.comparingDouble(LiveCluster.Took::brokerCpu));
    row.put("broker_cpu_us_per_flow_median", all.get(median).brokerCpu() * 1e6 / flows);
    row.put("bytes_per_flow", bytes / (double) flows);
    return row;
  }
}
