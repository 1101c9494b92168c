package org.flowmon.bench.live;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.flowmon.bench.output.BenchResult;
import org.flowmon.deploy.command.ExitCodes;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * {@code flowmon bench live burst}: flows that come faster than the job takes them wait in Kafka.
 * Measures the job's rate then, and checks that each flow is in the reports and in the archive.
 *
 * <p>Counted are the archive's rows; the flows in the reports of {@code mice} and {@code anomaly},
 * which take every flow; the flows that are not outgoing in the reports of {@code elephants}; the
 * bytes of both directions of all pairs in the reports of {@code anomaly}.
 */
@Command(
    name = "burst",
    mixinStandardHelpOptions = true,
    description = {
      "A burst waits in Kafka and is drained by all five analyses with archive: at what rate, and"
          + " whether what was sent is what was reported and archived.",
      "The exit code is 1 where it is not. A minute at 1.65 million flows/s takes some 10 GB."
    })
public final class Burst implements Callable<Integer> {
  private static final long STREAM = 4;
  private static final long RATE = 1_650_000;
  private static final int QUICK = 50;

  @Mixin private LiveOptions options;

  @Option(
      names = "--rate",
      paramLabel = "FLOWS",
      description = "Flows to a second of arrival; default 1650000.")
  private Long rate;

  @Option(
      names = "--seconds",
      defaultValue = "60",
      description = "Length of the burst; default ${DEFAULT-VALUE}.")
  private int seconds;

  @Option(
      names = "--window",
      paramLabel = "SECONDS",
      defaultValue = "10",
      description = "Length of windows; default ${DEFAULT-VALUE}.")
  private int window;

  private long incoming;
  private BigInteger bytes = BigInteger.ZERO;

  @Override
  public Integer call() throws IOException {
    options.check();
    long perSecond = rate != null ? rate : options.quick() ? RATE / QUICK : RATE;
    if (perSecond < 1 || seconds < 1 || window < 1) {
      throw new UsageException("--rate, --seconds and --window are at least 1");
    }
    try (LiveCluster cluster = LiveCluster.start(options, "burst");
        ReportLog reports = new ReportLog(cluster.bootstrap())) {
      long sent = fill(cluster, perSecond);
      Path archive = cluster.folder().resolve("archive");
      options.progress("draining");
      LiveCluster.Took took =
          cluster.run(LiveCluster.Job.all(archive, LiveAnalyses.of(LiveAnalyses.NAMES, window)));
      Rates.checkAndDelete(archive, sent);
      return report(sent, perSecond, took, reports.next());
    }
  }

  private long fill(LiveCluster cluster, long perSecond) {
    options.progress("filling the topic with %d s of %,d flows", seconds, perSecond);
    Instant end = Instant.parse("2026-01-15T12:00:00Z");
    long flows = perSecond * seconds;
    HistoryGenerator generator =
        new HistoryGenerator(
            new TrafficModel(options.seed(), TrafficOptions.defaults()),
            end.minusSeconds(seconds),
            end,
            flows,
            perSecond);
    try (FlowWriter writer = cluster.writer(STREAM)) {
      generator.generate(
          STREAM,
          batch -> {
            count(batch);
            writer.add(batch);
          });
      writer.flush();
      return writer.flows();
    }
  }

  /** Counts by row, without the measured code. */
  private void count(FlowBatch batch) {
    long sum = 0; // of a batch: far from 64 bits
    for (int row = 0; row < batch.rows(); row++) {
      boolean outgoing =
          !batch.isNull(FlowColumn.OUTGOING, row) && batch.getLong(FlowColumn.OUTGOING, row) != 0;
      incoming += outgoing ? 0 : 1;
      for (FlowColumn column : List.of(FlowColumn.BYTES, FlowColumn.REVERSE_BYTES)) {
        sum += batch.isNull(column, row) ? 0 : batch.getLong(column, row);
      }
    }
    bytes = bytes.add(BigInteger.valueOf(sum));
  }

  private int report(
      long sent, long perSecond, LiveCluster.Took took, List<ReportLog.Window> reported)
      throws IOException {
    BenchResult drained = new BenchResult("live burst");
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("burst_flows_per_second", perSecond);
    row.put("burst_seconds", (long) seconds);
    row.put("flows", sent);
    row.put("drained_in_s", took.seconds());
    row.put("drained_flows_per_second", sent / took.seconds());
    row.put("job_cpu_us_per_flow", took.jobCpu() * 1e6 / sent);
    row.put("archived", sent); // otherwise there would be no report
    drained.row(row);
    BenchResult counts = new BenchResult("live burst: sent and reported");
    boolean same = true;
    same &= compare(counts, "mice: flows", sent, flows(reported, "mice"));
    same &= compare(counts, "anomaly: flows", sent, flows(reported, "anomaly"));
    same &=
        compare(counts, "elephants: flows not outgoing", incoming, flows(reported, "elephants"));
    BigInteger total =
        ReportLog.of(reported, "anomaly").stream()
            .map(ReportLog.Window::bytes)
            .reduce(BigInteger.ZERO, BigInteger::add);
    same &= compare(counts, "anomaly: bytes", bytes.longValueExact(), total.longValueExact());
    long missing = reported.stream().mapToLong(ReportLog.Window::missing).sum();
    same &= compare(counts, "late, ahead of time or lost", 0, missing);
    options.show("burst", List.of(drained, counts));
    return same ? ExitCodes.DONE : ExitCodes.NO;
  }

  private static boolean compare(BenchResult counts, String what, long sent, long reported) {
    Map<String, Object> row = new LinkedHashMap<>();
    row.put("what", what);
    row.put("sent", sent);
    row.put("reported", reported);
    row.put("same", sent == reported ? "yes" : "NO");
    counts.row(row);
    return sent == reported;
  }

  private static long flows(List<ReportLog.Window> reported, String analysis) {
    return ReportLog.of(reported, analysis).stream().mapToLong(ReportLog.Window::flows).sum();
  }
}
