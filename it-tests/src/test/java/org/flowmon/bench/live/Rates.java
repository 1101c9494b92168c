package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.bench.output.BenchFolder;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.UsageException;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live rate}: the rate of the whole path beside the required one. A run's time
 * is from the job's submission to its end, including its start.
 */
@Command(
    name = "rate",
    mixinStandardHelpOptions = true,
    description = {
      "Flows a second from a filled topic to reports: each analysis alone in windows of 1 s with"
          + " history; all five in windows of 10 s, without archive and with it.",
      "Beside each what must be reached on two cores; the exit code is 0 whether it is or not."
    })
public final class Rates implements Callable<Integer> {
  private static final long FLOWS = 30_000_000;
  private static final long PAST = 5_000_000;
  private static final long ALONE = 1_000_000;
  private static final long ALL = 1_000_000;
  private static final long ALL_ARCHIVED = 500_000;
  private static final Duration CHECKPOINTS = Duration.ofSeconds(10);

  @Mixin private LiveOptions options;

  @Option(
      names = "--density",
      paramLabel = "FLOWS",
      defaultValue = "1000000",
      description = "Flows to a second of arrival; default ${DEFAULT-VALUE}.")
  private long density;

  @Option(
      names = "--past",
      paramLabel = "FLOWS",
      description = "Flows of the seven days before; default " + PAST + ".")
  private Long past;

  @Option(
      names = "--rounds",
      defaultValue = "3",
      description = "Rounds after one to warm up; default ${DEFAULT-VALUE}.")
  private int rounds;

  @Option(
      names = "--only",
      paramLabel = "TEXT",
      description = "Only cases whose name has this text, for example 'all five'.")
  private String only = "";

  private final BenchResult table =
      new BenchResult("live rate: flows a second, median and best of the rounds");
  private final SvgPlot plot =
      new SvgPlot("Flows a second, by round", "round", false, "flows/s", false);
  private long flows;
  private LiveCluster cluster;
  private ReportLog reports;

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rounds < 1 || density < 1) {
      throw new UsageException("--rounds and --density are at least 1");
    }
    flows = options.flows(FLOWS);
    long before = past != null ? past : options.quick() ? PAST / 50 : PAST;
    try (LiveCluster started = LiveCluster.start(options, "rate");
        ReportLog log = new ReportLog(started.bootstrap())) {
      cluster = started;
      reports = log;
      Path base =
          new LiveFlows(flows, density, options.seed())
              .fillWithPast(cluster, options, before, false);
      Path whole = cluster.folder().resolve("archive-whole");
      copy(base, whole);
      cluster.run(new LiveCluster.Job("archive", whole, List.of(), true, CHECKPOINTS));
      for (String name : LiveAnalyses.NAMES) {
        measure(
            name + ", 1 s, history",
            ALONE,
            round -> LiveCluster.Job.analyses(whole, List.of(LiveAnalyses.of(name, 1))),
            null);
      }
      measure(
          "all five, 10 s",
          ALL,
          round -> LiveCluster.Job.analyses(null, LiveAnalyses.of(LiveAnalyses.NAMES, 10)),
          null);
      measure(
          "all five, 10 s, archive, history",
          ALL_ARCHIVED,
          round -> {
            Path own = cluster.folder().resolve("archive-" + round);
            copy(base, own);
            return LiveCluster.Job.all(own, LiveAnalyses.of(LiveAnalyses.NAMES, 10));
          },
          job -> checkAndDelete(job.archive(), before + flows));
    }
    options.show("rate", List.of(table), plot);
    return 0;
  }

  private interface Round {
    LiveCluster.Job job(int round) throws IOException;
  }

  private interface After {
    void run(LiveCluster.Job job) throws IOException;
  }

  private void measure(String name, long must, Round round, After after) throws IOException {
    if (!name.contains(only)) {
      return;
    }
    List<Double> perSecond = new ArrayList<>();
    List<Double> cpu = new ArrayList<>();
    long windows = 0;
    long exact = 0;
    for (int r = 0; r <= rounds; r++) { // the first warms up
      LiveCluster.Job job = round.job(r);
      LiveCluster.Took took = cluster.run(job);
      options.progress("%s, round %d: %,.0f flows/s", name, r, flows / took.seconds());
      List<ReportLog.Window> reported = ReportLog.withRows(reports.next());
      if (r > 0) {
        perSecond.add(flows / took.seconds());
        cpu.add(took.jobCpu() * 1e6 / flows);
        windows += reported.size();
        exact += ReportLog.exact(reported);
        plot.point(name, r, flows / took.seconds());
        plot.point(String.format("must reach, %,d", must), r, (double) must);
      }
      if (after != null) {
        after.run(job);
      }
    }
    Collections.sort(perSecond);
    Collections.sort(cpu);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("case", name);
    row.put("must_reach", must);
    row.put("median", perSecond.get((rounds - 1) / 2));
    row.put("best", perSecond.get(rounds - 1));
    row.put("reached", options.reached(perSecond.get((rounds - 1) / 2) >= must));
    row.put("job_cpu_us_per_flow", cpu.get((rounds - 1) / 2));
    row.put("windows_reported", windows);
    row.put("history_exact", exact);
    table.row(row);
  }

  /** Checks the archive's rows: a fast job that archives less is no result. */
  static void checkAndDelete(Path directory, long rows) throws IOException {
    try (Archive archive = Archive.open(directory);
        ArchiveSnapshot snapshot = archive.snapshot()) {
      if (snapshot.rows() != rows) {
        throw new IllegalStateException(
            "the archive holds " + snapshot.rows() + " of " + rows + " flows");
      }
    }
    BenchFolder.delete(directory);
  }

  private static void copy(Path from, Path to) throws IOException {
    try (var paths = Files.walk(from)) {
      for (Path path : paths.toList()) {
        Files.copy(path, to.resolve(from.relativize(path).toString()));
      }
    }
  }
}
