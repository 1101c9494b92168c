package org.flowmon.bench.live;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Consumer;
import org.flowmon.bench.harness.Run;
import org.flowmon.flow.FlowBatch;
import org.flowmon.ingest.synthetic.HistoryGenerator;
import org.flowmon.ingest.synthetic.TrafficModel;
import org.flowmon.ingest.synthetic.TrafficOptions;

/**
 * The flows of an experiment: generated at a density of arrivals and, for lookups of history, those
 * of the seven days before, in an archive.
 *
 * @param perSecond flows per second of arrival, which may differ from any measured rate
 */
record LiveFlows(long flows, long perSecond, long seed) {
  /** The end of the live part. */
  private static final Instant END = Instant.parse("2026-01-15T12:00:00Z");

  private static final Duration PAST = Duration.ofDays(7).plusHours(1);
  private static final long LIVE_STREAM = 1;
  private static final long PAST_STREAM = 2;

  private Instant begin() {
    return END.minusMillis(Math.max(1, flows * 1000 / perSecond));
  }

  /** Generates the flows that {@link #fill} puts into the topic. */
  void generate(Consumer<FlowBatch> to) {
    var unused = generator().generate(LIVE_STREAM, to);
  }

  private HistoryGenerator generator() {
    return new HistoryGenerator(
        new TrafficModel(seed, TrafficOptions.defaults()), begin(), END, flows, perSecond);
  }

  /**
   * Puts the flows into the topic of flows.
   *
   * @return bytes of all batches before compression
   */
  long fill(LiveCluster cluster, Run run) {
    run.progress(
        "filling the topic with %,d flows, %,d to a second (seed %d)", flows, perSecond, seed);
    try (FlowWriter writer = cluster.writer(LIVE_STREAM)) {
      generate(writer::add);
      writer.flush();
      return writer.bytes();
    }
  }

  /**
   * Builds an archive of the days before these flows and, on request, of these flows; then fills
   * the topic with these alone.
   *
   * @param past flows of the days before
   * @param live whether the archive holds these flows, too, so that lookups need not wait for it
   * @return the archive's folder
   */
  Path fillWithPast(LiveCluster cluster, Run run, long past, boolean live) throws IOException {
    Path archive = archivePast(cluster, run, past, begin());
    fill(cluster, run);
    if (live) {
      run.progress("archiving them");
      archive(cluster, archive);
    }
    return archive;
  }

  /**
   * Builds an archive of the seven days before a time, and leaves the topic of flows empty.
   *
   * @param past how many flows
   * @return the archive's folder
   */
  Path archivePast(LiveCluster cluster, Run run, long past, Instant before) throws IOException {
    run.progress("archiving %,d flows of %d days before", past, PAST.toDays());
    HistoryGenerator generator =
        new HistoryGenerator(
            new TrafficModel(seed, TrafficOptions.defaults()),
            before.minus(PAST),
            before,
            past,
            perSecond);
    try (FlowWriter writer = cluster.writer(PAST_STREAM)) {
      generator.generate(PAST_STREAM, writer::add);
      // As collectors do each second: otherwise the archive could not know that these days are
      // complete, and lookups would wait for it.
      writer.beat(before.toEpochMilli() * 1000);
    }
    Path archive = cluster.folder().resolve("archive");
    archive(cluster, archive);
    cluster.forgetFlows();
    return archive;
  }

  private static void archive(LiveCluster cluster, Path archive) {
    cluster.run(LiveCluster.Job.archive(archive));
  }
}
