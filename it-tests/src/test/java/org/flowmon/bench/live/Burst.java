package org.flowmon.bench.live;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;

/**
 * Flows that come faster than the job takes them wait in Kafka. Measures the job's rate then, and
 * checks that each flow is in the reports and in the archive.
 *
 * <p>Counted are the archive's rows; the flows in the reports of {@code mice} and {@code anomaly},
 * which take every flow; the flows that are not outgoing in the reports of {@code elephants}; the
 * bytes of both directions of all pairs in the reports of {@code anomaly}.
 */
public final class Burst implements Experiment {
  private static final int DRAINED = 0;
  private static final int COUNTS = 1;
  private static final long STREAM = 4;

  private long incoming;
  private BigInteger bytes = BigInteger.ZERO;

  @Override
  public void run(Run run) throws IOException {
    LiveCluster cluster = LiveCluster.start(run);
    ReportLog reports = run.open(new ReportLog(cluster.bootstrap()));
    long sent = fill(run, cluster);
    Path archive = cluster.folder().resolve("archive");
    run.progress("draining");
    LiveCluster.Took took =
        cluster.run(
            LiveCluster.Job.all(
                archive, LiveAnalyses.of(LiveAnalyses.NAMES, run.integer("window"))));
    ArchivedFlows.checkAndDelete(archive, sent);
    run.add(
        DRAINED,
        new Row()
            .put("burst_flows_per_second", run.number("rate"))
            .put("burst_seconds", run.number("seconds"))
            .put("flows", sent)
            .put("drained_in_s", took.seconds())
            .put("drained_flows_per_second", sent / took.seconds())
            .put("job_cpu_us_per_flow", took.jobCpu() * 1e6 / sent)
            .put("archived", sent)); // otherwise it would have ended with an error
    compare(run, sent, reports.next());
  }

  private long fill(Run run, LiveCluster cluster) {
    int seconds = run.integer("seconds");
    long perSecond = run.number("rate");
    run.progress("filling the topic with %d s of %,d flows", seconds, perSecond);
    Instant end = Instant.parse("2026-01-15T12:00:00Z");
    HistoryGenerator generator =
        new HistoryGenerator(
            new TrafficModel(run.number("seed"), TrafficOptions.defaults()),
            end.minusSeconds(seconds),
            end,
            perSecond * seconds,
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

  private void compare(Run run, long sent, List<ReportLog.Window> reported) {
    compare(run, "mice: flows", sent, flows(reported, "mice"));
    compare(run, "anomaly: flows", sent, flows(reported, "anomaly"));
    compare(run, "elephants: flows not outgoing", incoming, flows(reported, "elephants"));
    BigInteger total =
        ReportLog.of(reported, "anomaly").stream()
            .map(ReportLog.Window::bytes)
            .reduce(BigInteger.ZERO, BigInteger::add);
    compare(run, "anomaly: bytes", bytes.longValueExact(), total.longValueExact());
    long missing = reported.stream().mapToLong(ReportLog.Window::missing).sum();
    compare(run, "late, ahead of time or lost", 0, missing);
  }

  private static void compare(Run run, String what, long sent, long reported) {
    run.add(
        COUNTS,
        new Row()
            .put("what", what)
            .put("sent", sent)
            .put("reported", reported)
            .put("same", sent == reported ? "yes" : "NO"));
    run.expect(sent == reported, "%s: sent %d, reported %d", what, sent, reported);
  }

  private static long flows(List<ReportLog.Window> reported, String analysis) {
    return ReportLog.of(reported, analysis).stream().mapToLong(ReportLog.Window::flows).sum();
  }
}
