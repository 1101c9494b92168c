package org.flowmon.bench.live;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import org.apache.flink.api.common.JobID;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.deploy.command.UsageException;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;
import org.flowmon.jobs.analysis.AnalysisConfig;

/**
 * The time from the watermark that passes a window's due time to its report in Kafka, with flows at
 * a steady rate. The flows are made before; sending them and the broker share the cores with the
 * job.
 *
 * <p>A window is due at its end, its lateness and the disorder bound. The watermark passes that
 * time when each partition has had a flow that arrived later, in a batch that was full a moment
 * after. The latency counts from the handing of the last such batch to Kafka, so it includes Kafka,
 * Flink's periodic watermarks and the lookup of history. Flows bear their planned time of sending.
 * So a feed that falls behind shows in the columns that count from the due time, and not as a lower
 * rate.
 */
public final class ReportLatency implements Experiment {
  private static final long STREAM = 3;
  private static final double MUST_MILLIS = 500;
  // The rate of a slow machine.
  private static final long MADE_PER_SECOND = 300_000;

  /** Times of the windows of one analysis, or of all. */
  private static final class Latencies {
    private final List<Double> millis = new ArrayList<>();
    private final List<Double> sinceDue = new ArrayList<>();
    private long exact;
    private long pairs;

    void add(Latencies more) {
      millis.addAll(more.millis);
      sinceDue.addAll(more.sinceDue);
      exact += more.exact;
    }

    Row row(String analysis) {
      Samples late = Samples.of(millis);
      Samples due = Samples.of(sinceDue);
      return new Row()
          .put("analysis", analysis)
          .put("pairs", pairs == 0 ? "" : (Object) pairs)
          .put("windows_reported", late.size())
          .put("history_exact", exact)
          .put("p50_ms", late.median())
          .put("p99_ms", late.percentile(0.99))
          .put("most_ms", late.most())
          .put("must_reach_p99_ms", MUST_MILLIS)
          .put("p50_since_due_ms", due.median())
          .put("p99_since_due_ms", due.percentile(0.99));
    }
  }

  @Override
  public void run(Run run) throws Exception {
    TrafficOptions traffic = traffic(run);
    List<AnalysisConfig> analyses = LiveAnalyses.of(LiveAnalyses.NAMES, run.integer("window"));
    LiveCluster cluster = LiveCluster.start(run);
    ReportLog reports = run.open(new ReportLog(cluster.bootstrap()));
    long rate = run.number("rate");
    long length = run.number("warm-up") + run.number("seconds");
    long past = run.number("past");
    // Made before anything runs, at a time far enough ahead to make them.
    Instant from = Instant.now().plusSeconds(40 + (rate * length + 3 * past) / MADE_PER_SECOND);
    Optional<Path> archive =
        run.flag("without-archive")
            ? Optional.empty()
            : Optional.of(
                new LiveFlows(rate * length, rate, run.number("seed"))
                    .archivePast(cluster, run, past, from));
    FlowWriter writer = cluster.writer(STREAM);
    HistoryGenerator flows =
        new HistoryGenerator(
            new TrafficModel(run.number("seed"), traffic),
            from,
            from.plusSeconds(length),
            rate * length,
            rate);
    run.progress("making %,d flows", rate * length);
    writer.stage(new FlowStage(cluster.folder().resolve("flows")));
    flows.generate(STREAM, writer::add);
    writer.flush();
    Run.require(
        Instant.now().isBefore(from.minusSeconds(5)),
        "this machine makes fewer than %d flows a second, and their time has come before they were"
            + " made: try fewer --seconds or a lower --rate",
        MADE_PER_SECOND);
    JobID job = cluster.submit(LiveCluster.Job.endless(archive, analyses, Duration.ofSeconds(10)));
    run.progress("%,d flows/s for %d s from %s on", rate, length, from);
    WatermarkTimes watermarks = feed(writer);
    cluster.flink().cancel(job);
    cluster.flink().awaitEnd(job, Duration.ofMinutes(2));
    show(run, analyses, reports.next(), watermarks, from.plusSeconds(run.number("warm-up")));
  }

  private static TrafficOptions traffic(Run run) {
    List<Integer> hosts = run.integers("hosts");
    if (hosts.size() != 2) {
      throw new UsageException("--hosts are two numbers, as 2000,20000; found " + hosts);
    }
    try {
      return TrafficOptions.defaults().withHosts(hosts.get(0), hosts.get(1), run.decimal("zipf"));
    } catch (IllegalArgumentException e) {
      throw new UsageException("--hosts, --zipf: " + e.getMessage());
    }
  }

  /** Sends flows at their times of arrival, and heartbeats until all windows had time to close. */
  private static WatermarkTimes feed(FlowWriter flows) throws InterruptedException {
    WatermarkTimes watermarks = new WatermarkTimes();
    try (FlowWriter writer = flows) {
      writer.sendStaged(
          ReportLatency::waitFor,
          (partition, arrival) -> watermarks.sent(partition, arrival, System.currentTimeMillis()));
      for (int beat = 0; beat < 50; beat++) {
        long now = micros(Instant.now());
        watermarks.beat(now, now / 1000);
        writer.beat(now);
        Thread.sleep(100);
      }
    }
    return watermarks;
  }

  private static void waitFor(long arrivalMicros) {
    for (long ahead; (ahead = arrivalMicros - micros(Instant.now())) > 0; ) {
      LockSupport.parkNanos(ahead * 1000);
      Run.require(!Thread.interrupted(), "interrupted while flows were sent");
    }
  }

  private static long micros(Instant time) {
    return time.getEpochSecond() * 1_000_000 + time.getNano() / 1000;
  }

  private static void show(
      Run run,
      List<AnalysisConfig> analyses,
      List<ReportLog.Window> all,
      WatermarkTimes watermarks,
      Instant from) {
    long first = micros(from);
    long last = first + run.number("seconds") * 1_000_000;
    Latencies together = new Latencies();
    for (AnalysisConfig analysis : analyses) {
      Latencies own = new Latencies();
      for (ReportLog.Window one : ReportLog.of(all, analysis.name())) {
        if (one.rows() > 0 && one.end() > first && one.end() <= last) {
          long due = due(analysis, one.end());
          double late = one.sentMillis() - watermarks.passed(due);
          own.millis.add(late);
          own.sinceDue.add(one.sentMillis() - due / 1e3);
          own.pairs = Math.max(own.pairs, one.pairs());
          own.exact += one.history().equals("exact") ? 1 : 0;
          run.point(analysis.name(), (one.end() - first) / 1e6, late);
        }
      }
      run.add(own.row(analysis.name()));
      together.add(own);
    }
    run.add(together.row("all"));
  }

  /** The arrival with which the watermark passes a window, microseconds. */
  private static long due(AnalysisConfig analysis, long end) {
    return end + analysis.live().latenessMicros() + LiveCluster.DISORDER.toNanos() / 1000;
  }
}
