package org.flowmon.bench.live;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.jobs.JobAnalyses;
import org.flowmon.jobs.analysis.AnalysisConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live functions}: four queries with functions at once, from a filled topic to
 * reports, whose answers must match the flows. A run's time is from the job's submission to its
 * end, including its start.
 */
@Command(
    name = "functions",
    mixinStandardHelpOptions = true,
    description = {
      "Flows a second of four analyses at once: QUANTILES of the bytes of each source and of each"
          + " exporter and port, HEAVY_HITTERS of the destinations of each source network and of"
          + " all.",
      "Of one window the answers of the last round are compared with what the flows give: counts"
          + " and sums are equal, every quantile lies within its bounds, no weight is above its"
          + " upper one. Where that is not so it is an error. Lower bounds of sketches hold with a"
          + " probability: the share of listed items below theirs is shown."
    })
public final class FunctionRates implements Callable<Integer> {
  private static final long FLOWS = 20_000_000;
  private static final long MUST = 1_000_000;
  private static final int WINDOW_SECONDS = 10;
  private static final String TARGETS =
      "COUNT(*) AS flows, SUM(bytes) AS bytes, TOTAL(HEAVY_HITTERS(dst_addr, bytes)) AS total,"
          + " TOP(HEAVY_HITTERS(dst_addr, bytes), 5) AS top";
  private static final Map<String, String> QUERIES = queries();

  @Mixin private LiveOptions options;

  @Option(
      names = "--density",
      paramLabel = "FLOWS",
      defaultValue = "1000000",
      description = "Flows to a second of arrival; default ${DEFAULT-VALUE}.")
  private long density;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Rounds after one to warm up; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--only",
      paramLabel = "TEXT",
      description = "Only analyses whose name has this text, for example 'sizes'.")
  private String only = "";

  private static Map<String, String> queries() {
    Map<String, String> all = new LinkedHashMap<>();
    all.put(FunctionCheck.SIZES_OF_SOURCES, sizes("src_addr"));
    all.put(FunctionCheck.SIZES_OF_PORTS, sizes("exporter, dst_port"));
    all.put(
        FunctionCheck.TARGETS_OF_NETWORKS,
        "SELECT NETWORK(src_addr, 16, 32) AS net, "
            + TARGETS
            + " FROM flows GROUP BY net ORDER BY flows DESC LIMIT 50");
    all.put(FunctionCheck.TARGETS, "SELECT " + TARGETS + " FROM flows");
    return all;
  }

  private static String sizes(String keys) {
    return "SELECT "
        + keys
        + ", COUNT(*) AS flows, SUM(bytes) AS bytes, QUANTILE(QUANTILES(bytes), 0.95) AS p95,"
        + " LOWER(p95) AS p95_low, UPPER(p95) AS p95_high FROM flows GROUP BY "
        + keys
        + " ORDER BY flows DESC LIMIT 50";
  }

  /** The measured analyses. */
  private List<AnalysisConfig> analyses() {
    List<AnalysisConfig> all = new ArrayList<>();
    QUERIES.forEach(
        (name, query) -> {
          if (name.contains(only)) {
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
      throw new UsageException("--only " + only + ": none of " + QUERIES.keySet());
    }
    JobAnalyses.check(all);
    return all;
  }

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rounds < 1 || density < 1) {
      throw new UsageException("--rounds and --density are at least 1");
    }
    List<AnalysisConfig> analyses = analyses();
    long flows = options.flows(FLOWS);
    List<Double> perSecond = new ArrayList<>();
    List<Double> cpu = new ArrayList<>();
    SvgPlot plot = new SvgPlot("Flows a second, by round", "round", false, "flows/s", false);
    LiveFlows generated = new LiveFlows(flows, density, options.seed());
    FunctionCheck check = new FunctionCheck(WINDOW_SECONDS * 1_000_000L);
    try (LiveCluster cluster = LiveCluster.start(options, "functions");
        ReportLog reports = new ReportLog(cluster.bootstrap())) {
      var unused = generated.fill(cluster, options);
      for (int r = 0; r <= rounds; r++) { // the first warms up
        LiveCluster.Took took = cluster.run(LiveCluster.Job.analyses(null, analyses));
        options.progress("round %d: %,.0f flows/s", r, flows / took.seconds());
        check.clear();
        var unusedToo = reports.next(check::add);
        if (r > 0) {
          perSecond.add(flows / took.seconds());
          cpu.add(took.jobCpu() * 1e6 / flows);
          plot.point("measured", r, flows / took.seconds());
          plot.point(String.format("must reach, %,d", MUST), r, (double) MUST);
        }
      }
    }
    options.progress("comparing a window with its flows");
    generated.generate(check::count);
    check.check();
    Collections.sort(perSecond);
    Collections.sort(cpu);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("analyses", (long) analyses.size());
    row.put("flows", flows);
    row.put("must_reach", MUST);
    row.put("median", perSecond.get((rounds - 1) / 2));
    row.put("best", perSecond.get(rounds - 1));
    row.put("reached", options.reached(perSecond.get((rounds - 1) / 2) >= MUST));
    row.put("job_cpu_us_per_flow", cpu.get((rounds - 1) / 2));
    row.put("rows_checked", check.rows());
    row.put("answers_as_certain", check.answers());
    row.put("items_below_lower_bound", check.belowLower());
    BenchResult table =
        new BenchResult("live functions: flows a second, median and best of the rounds")
            .explain("must_reach", "flows a second that the median is to reach")
            .explain("rows_checked", "rows of reports of one window, compared with its flows")
            .explain(
                "answers_as_certain",
                "values in them whose bounds always hold, each found within these")
            .explain(
                "items_below_lower_bound",
                "share of listed items that weigh less than their lower bound, which sketches"
                    + " state with a probability only");
    table.row(row);
    options.show("functions", List.of(table), plot);
    return 0;
  }
}
