package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.flink.api.common.JobID;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.bench.output.SvgPlot;
import org.flowmon.deploy.command.CommandException;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.jobs.analysis.AnalysisConfig;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live latency}: the time from the watermark that passes a window's due time
 * to its report in Kafka, with flows at a steady rate. The flows are made before; sending them and
 * the broker share the cores with the job.
 *
 * <p>A window is due at its end, its lateness and the disorder bound. The watermark passes that
 * time when each partition has had a flow that arrived later, in a batch that was full a moment
 * after. The latency counts from the handing of the last such batch to Kafka, so it includes Kafka,
 * Flink's periodic watermarks and the lookup of history. Flows bear their planned time of sending.
 * So a feed that falls behind shows in the columns that count from the due time, and not as a lower
 * rate.
 */
@Command(
    name = "latency",
    mixinStandardHelpOptions = true,
    description = {
      "Milliseconds from the watermark that passes a window's time to its report in Kafka, median"
          + " and 99th percentile, and from the time that the window is due, all five analyses with"
          + " archive and history, at a steady rate.",
      "The flows are made before; what sends them runs in the same process and shares its cores."
    })
public final class ReportLatency implements Callable<Integer> {
  private static final long STREAM = 3;
  private static final double MUST_MILLIS = 500;
  // The rate of a slow machine.
  private static final long MADE_PER_SECOND = 300_000;

  @Mixin private LiveOptions options;

  @Option(
      names = "--rate",
      paramLabel = "FLOWS",
      defaultValue = "250000",
      description = "Flows a second; default ${DEFAULT-VALUE}.")
  private long rate;

  @Option(
      names = "--seconds",
      description = "How long it is measured; default 120, and 20 with --quick.")
  private Integer seconds;

  @Option(
      names = "--warm-up",
      paramLabel = "SECONDS",
      defaultValue = "40",
      description = "How long flows come before; default ${DEFAULT-VALUE}.")
  private int warmUp;

  @Option(
      names = "--window",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Length of windows; default ${DEFAULT-VALUE}.")
  private int window;

  @Option(
      names = "--hosts",
      split = ",",
      paramLabel = "N",
      description =
          "Hosts inside and outside; default 2000,20000, of which a window of 10 s has more than a"
              + " million pairs.")
  private List<Integer> hosts = List.of(2_000, 20_000);

  @Option(
      names = "--zipf",
      paramLabel = "EXPONENT",
      description =
          "Skew of who talks how often, 0 … 3; default 0.8. The more, the fewer pairs a window"
              + " has.")
  private double zipf = 0.8;

  @Option(
      names = "--past",
      paramLabel = "FLOWS",
      defaultValue = "1000000",
      description = "Flows of the seven days before, in the archive; default ${DEFAULT-VALUE}.")
  private long past;

  @Option(
      names = "--without-archive",
      description = "Neither archive nor history: live queries alone.")
  private boolean withoutArchive;

  @Override
  public Integer call() throws IOException {
    options.check();
    if (rate < 1 || window < 1 || warmUp < 0 || past < 0 || (seconds != null && seconds < 1)) {
      throw new UsageException(
          "--rate, --seconds and --window are at least 1, --warm-up and --past 0");
    }
    if (hosts.size() != 2) {
      throw new UsageException("--hosts are two numbers, as 2000,20000; found " + hosts);
    }
    TrafficOptions traffic;
    try {
      traffic = TrafficOptions.defaults().withHosts(hosts.get(0), hosts.get(1), zipf);
    } catch (IllegalArgumentException e) {
      throw new UsageException("--hosts, --zipf: " + e.getMessage());
    }
    int measured = seconds != null ? seconds : options.quick() ? 20 : 120;
    List<AnalysisConfig> analyses = LiveAnalyses.of(LiveAnalyses.NAMES, window);
    try (LiveCluster cluster = LiveCluster.start(options, "latency");
        ReportLog reports = new ReportLog(cluster.bootstrap())) {
      int length = warmUp + measured;
      long before = options.quick() ? past / 50 : past;
      // Made before anything runs, at a time far enough ahead to make them.
      long making = 40 + (rate * length + 3 * before) / MADE_PER_SECOND;
      Instant from = Instant.now().plusSeconds(making);
      Path archive =
          withoutArchive
              ? null
              : new LiveFlows(rate * length, rate, options.seed())
                  .archivePast(cluster, options, before, from);
      FlowWriter writer = cluster.writer(STREAM);
      make(writer, cluster.folder().resolve("flows"), from, length, traffic);
      JobID job =
          cluster.submit(
              new LiveCluster.Job(
                  withoutArchive ? "analyses" : "all",
                  archive,
                  analyses,
                  false,
                  Duration.ofSeconds(10)));
      WatermarkTimes watermarks = new WatermarkTimes();
      feed(writer, from, length, watermarks);
      cluster.flink().cancel(job);
      cluster.flink().awaitEnd(job, Duration.ofMinutes(2));
      show(
          analyses,
          reports.next(),
          watermarks,
          from.plusSeconds(warmUp),
          from.plusSeconds(warmUp + measured));
    }
    return 0;
  }

  /** Makes the flows. */
  private void make(FlowWriter writer, Path file, Instant from, int length, TrafficOptions traffic)
      throws IOException {
    options.progress("making %,d flows", rate * length);
    HistoryGenerator generator =
        new HistoryGenerator(
            new TrafficModel(options.seed(), traffic),
            from,
            from.plusSeconds(length),
            rate * length,
            rate);
    writer.stage(new FlowStage(file));
    generator.generate(STREAM, writer::add);
    writer.flush();
    if (Instant.now().isAfter(from.minusSeconds(5))) {
      throw new CommandException(
          "this machine makes fewer than "
              + MADE_PER_SECOND
              + " flows a second, and their time has come before they were made: try fewer"
              + " --seconds or a lower --rate");
    }
  }

  /** Sends flows at their times of arrival, and heartbeats until all windows had time to close. */
  private void feed(FlowWriter flows, Instant from, int length, WatermarkTimes watermarks) {
    options.progress("%,d flows/s for %d s from %s on", rate, length, from);
    try (FlowWriter writer = flows) {
      writer.sendStaged(
          ReportLatency::waitFor,
          (partition, arrival) -> watermarks.sent(partition, arrival, System.currentTimeMillis()));
      for (int beat = 0; beat < 50; beat++) {
        long now = micros(Instant.now());
        watermarks.beat(now, now / 1000);
        writer.beat(now);
        sleep(100);
      }
    }
  }

  private static void waitFor(long arrivalMicros) {
    long ahead = arrivalMicros - micros(Instant.now());
    if (ahead > 0) {
      sleep(ahead / 1000 + 1);
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException("interrupted while flows were sent");
    }
  }

  private static long micros(Instant time) {
    return time.getEpochSecond() * 1_000_000 + time.getNano() / 1000;
  }

  private void show(
      List<AnalysisConfig> analyses,
      Collection<ReportLog.Window> all,
      WatermarkTimes watermarks,
      Instant from,
      Instant to)
      throws IOException {
    BenchResult table =
        new BenchResult(
            String.format(
                "live latency: ms from the watermark to a window's report, %,d flows/s", rate));
    SvgPlot plot =
        new SvgPlot("Latency of reports", "window, s after the first", false, "ms", true);
    List<Double> together = new ArrayList<>();
    List<Double> togetherDue = new ArrayList<>();
    long allExact = 0;
    for (AnalysisConfig analysis : analyses) {
      List<Double> millis = new ArrayList<>();
      List<Double> sinceDue = new ArrayList<>();
      long exact = 0;
      long pairs = 0;
      for (ReportLog.Window one : ReportLog.of(all, analysis.name())) {
        if (one.rows() > 0 && one.end() > micros(from) && one.end() <= micros(to)) {
          long due = due(analysis, one.end());
          double late = one.sentMillis() - watermarks.passed(due);
          millis.add(late);
          sinceDue.add(one.sentMillis() - due / 1e3);
          pairs = Math.max(pairs, one.pairs());
          exact += one.history().equals("exact") ? 1 : 0;
          plot.point(analysis.name(), (one.end() - micros(from)) / 1e6, late);
        }
      }
      together.addAll(millis);
      togetherDue.addAll(sinceDue);
      allExact += exact;
      table.row(row(analysis.name(), pairs == 0 ? "" : pairs, millis, sinceDue, exact));
    }
    table.row(row("all", "", together, togetherDue, allExact));
    options.show("latency", List.of(table), plot);
  }

  /** The arrival with which the watermark passes a window, microseconds. */
  private static long due(AnalysisConfig analysis, long end) {
    return end + analysis.live().latenessMicros() + LiveCluster.DISORDER.toNanos() / 1000;
  }

  private static Map<String, Object> row(
      String name, Object pairs, List<Double> millis, List<Double> sinceDue, long exact) {
    double[] sorted = sorted(millis);
    double[] sortedDue = sorted(sinceDue);
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("analysis", name);
    row.put("pairs", pairs);
    row.put("windows_reported", (long) sorted.length);
    row.put("history_exact", exact);
    row.put("p50_ms", percentile(sorted, 0.5));
    row.put("p99_ms", percentile(sorted, 0.99));
    row.put("most_ms", sorted.length == 0 ? Double.NaN : Arrays.stream(sorted).max().getAsDouble());
    row.put("must_reach_p99_ms", MUST_MILLIS);
    row.put("p50_since_due_ms", percentile(sortedDue, 0.5));
    row.put("p99_since_due_ms", percentile(sortedDue, 0.99));
    return row;
  }

  private static double[] sorted(List<Double> values) {
    return values.stream().mapToDouble(Double::doubleValue).sorted().toArray();
  }

  /** The smallest value that at least this share does not exceed. */
  static double percentile(double[] sorted, double share) {
    return sorted.length == 0
        ? Double.NaN
        : sorted[Math.max(0, (int) Math.ceil(share * sorted.length) - 1)];
  }
}
