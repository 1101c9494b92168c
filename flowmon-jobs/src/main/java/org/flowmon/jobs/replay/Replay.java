package org.flowmon.jobs.replay;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.datastream.SingleOutputStreamOperator;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.flowmon.archive.Archives;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.manifest.HistoryReach;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.jobs.ReportPipeline;
import org.flowmon.jobs.WindowPipeline;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.history.HistoryOperator;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.jobs.report.Report;
import org.flowmon.jobs.source.FlowTopic;
import org.flowmon.jobs.source.PositionedBatch;

/**
 * The live job with an archive, or several read as one, in place of Kafka.
 *
 * <pre>
 *   replay-source (one task) ──► low-level ──► replay-arrivals (one task) ──► merge ──► windows
 *     ──► replay-range ──► history ──► report
 * </pre>
 *
 * <p>Its reports equal the live job's, row for row, if the archive still holds the same data: the
 * windows' flows and, with exact history, that as of the same arrival. Flows out of order by more
 * than the live job's bound are in the replay alone. Flows lost before the archive are in neither;
 * only the live job counted them. All other counts of arrivals are equal.
 */
public final class Replay {
  private Replay() {}

  /** Adds a replay: the reports of the windows asked for, in no order. */
  public static SingleOutputStreamOperator<Report> reports(
      StreamExecutionEnvironment env, ReplaySpec spec, int maxParallelism) throws IOException {
    return reports(flows(env, spec), spec, maxParallelism);
  }

  public static SingleOutputStreamOperator<PositionedBatch> flows(
      StreamExecutionEnvironment env, ReplaySpec spec) {
    return env.fromSource(
            new ReplaySource(spec),
            WatermarkStrategy.noWatermarks(), // the source sends its own
            "replay-source",
            PositionedBatch.TYPE)
        .uid("replay-source")
        .setParallelism(1);
  }

  /** The reports on {@link #flows}, with this number of key groups. */
  public static SingleOutputStreamOperator<Report> reports(
      SingleOutputStreamOperator<PositionedBatch> flows, ReplaySpec spec, int maxParallelism)
      throws IOException {
    List<AnalysisConfig> analyses = List.of(spec.analysis());
    // Windows with only some of their flows need no history.
    SingleOutputStreamOperator<WindowResult> windows =
        WindowPipeline.windows(
                flows,
                maxParallelism,
                new AnalysisSet(analyses, false, spec.enrichment()),
                partials -> arrivals(partials, spec, maxParallelism))
            .filter(window -> spec.holds(window.windowStart(), window.windowEnd()))
            .name("replay-range")
            .uid("replay-range");
    return ReportPipeline.reports(
        windows,
        new HistoryOperator.Settings(
            spec.archives(),
            analyses,
            spec.historyDelay(),
            topic(spec.archives()),
            spec.disorder(),
            HistoryOperator.Pace.REPLAY,
            spec.enrichment()));
  }

  private static DataStream<Partial> arrivals(
      DataStream<Partial> partials, ReplaySpec spec, int maxParallelism) {
    return partials
        .transform("replay-arrivals", Partial.TYPE, new ReplayArrivals(spec, maxParallelism))
        .uid("replay-arrivals")
        .setParallelism(1);
  }

  /**
   * The topic that the archives were filled from. If it was deleted and created again, the one
   * whose flows reach furthest; for imported files alone one without partitions.
   */
  private static FlowTopic topic(List<ArchiveLocation> locations) throws IOException {
    try (Archives archives = Archives.open(locations);
        ArchivesSnapshot snapshot = archives.snapshot()) {
      HistoryReach reach = snapshot.reach();
      Map<String, Set<String>> keys = new TreeMap<>();
      for (String key : reach.committedEnds().keySet()) {
        int colon = key.lastIndexOf(':');
        String id = colon < 0 ? key : key.substring(0, colon);
        keys.computeIfAbsent(id, i -> new TreeSet<>()).add(key);
      }
      String best = "";
      long furthest = Long.MIN_VALUE;
      for (Map.Entry<String, Set<String>> topic : keys.entrySet()) {
        long through = reach.historyThrough(topic.getValue());
        if (best.isEmpty() || through > furthest) {
          best = topic.getKey();
          furthest = through;
        }
      }
      return new FlowTopic("archive", best, 0);
    }
  }
}
