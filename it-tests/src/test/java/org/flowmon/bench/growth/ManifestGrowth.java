package org.flowmon.bench.growth;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.manifest.CommitPreparation;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.query.ArchiveQuery;
import org.flowmon.archive.query.QueryAnswer;
import org.flowmon.archive.query.QueryOptions;
import org.flowmon.archive.region.FileIdentity;
import org.flowmon.archive.retention.Expiration;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.bench.harness.BenchFolder;
import org.flowmon.bench.harness.Experiment;
import org.flowmon.bench.harness.Row;
import org.flowmon.bench.harness.Run;
import org.flowmon.bench.harness.Samples;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.udaf.parser.QueryParser;
import org.flowmon.udaf.query.FlowQuery;

/**
 * Commits, opens, plans and expires in an archive of many segments. Most segments are entries of
 * the manifest alone, without files: none of the four opens the files of segments that it does not
 * read. Those that the measured commits bring are sealed and real.
 */
public final class ManifestGrowth implements Experiment {
  private static final int SEGMENTS_OF_A_COMMIT = 20_000;
  private static final int ROWS_OF_AN_ENTRY = 4_000_000;
  private static final int ROWS = 1_000;
  private static final long BEGIN = 1_735_689_600_000_000L; // 2025-01-01T00:00:00Z
  private static final long HOUR = 3_600_000_000L;
  private static final Duration AGE = Duration.ofDays(366);
  private static final long END = BEGIN + AGE.toNanos() / 1000 - 24 * HOUR;

  private Path folder;
  private int partitions;
  private long offset;
  private long now = END;

  @Override
  public void run(Run run) throws IOException {
    partitions = run.integer("partitions");
    int rounds = run.integer("rounds");
    for (int segments : run.integers("segments")) {
      try (BenchFolder made = BenchFolder.in(run.path("dir"), "manifest")) {
        folder = made.path().resolve("archive");
        offset = 0;
        now = END;
        run.add(measure(segments, rounds));
      }
    }
  }

  private Row measure(int segments, int rounds) throws IOException {
    try (Archive archive = Archive.create(folder, ArchiveOptions.DEFAULTS)) {
      archive.commit(
          ArchiveCommit.ofRetention(
              RetentionChange.to(RetentionOptions.of(0, 0, AGE, 0)), "bench"));
    }
    fill(segments);
    long before = heapUsed();
    Row row = new Row().put("segments", segments).put("partitions", partitions);
    try (Archive archive = Archive.open(folder)) {
      commitHour(archive); // warms up
      Samples commits = Samples.millis(rounds, round -> commitHour(archive));
      row.put("commit_ms", commits.median()).put("commit_most_ms", commits.most());
      Samples plans = Samples.millis(rounds + 1, round -> askLastHour(archive));
      row.put("query_ms", plans.median());
      row.put("heap_mib", (heapUsed() - before) / (double) (1 << 20));
      row.put("expire_ms", expire(archive, segments));
    }
    long snapshot = newestSnapshot();
    row.put("snapshot_mb", snapshot / 1e6).put("bytes_of_a_segment", snapshot / segments);
    Samples opens =
        Samples.millis(
            Math.min(rounds, 3),
            round -> {
              try (Archive archive = Archive.open(folder)) {
                archive.snapshot().close();
              }
            });
    return row.put("open_ms", opens.median());
  }

  /** Writes entries of a year, each of an equal part of it, and a snapshot of them. */
  private void fill(int segments) throws IOException {
    try (ArchiveStore store = ArchiveLocation.of(folder).openStore()) {
      Manifest manifest = Manifest.open(store, 1 << 20);
      long width = (END - BEGIN) / segments;
      for (int first = 0; first < segments; first += SEGMENTS_OF_A_COMMIT) {
        List<SealedSegment> some = new ArrayList<>();
        for (int s = first; s < Math.min(segments, first + SEGMENTS_OF_A_COMMIT); s++) {
          long begin = BEGIN + s * width;
          some.add(entry(s, new TimeRange(begin, begin + width - 1)));
        }
        manifest.commit(ArchiveCommit.ofRanges(some, ranges(END), "bench"), new Unchecked());
      }
      Manifest.open(store, 1)
          .commit(ArchiveCommit.ofRanges(List.of(), ranges(END), "bench"), CommitPreparation.NONE);
    }
  }

  private static SealedSegment entry(int number, TimeRange times) {
    return new SealedSegment(
        String.format("20250101t000000z-%016x", number),
        ROWS_OF_AN_ENTRY,
        times,
        times,
        times,
        times,
        BigInteger.valueOf(ROWS_OF_AN_ENTRY * 10_000L + number),
        BigInteger.valueOf(ROWS_OF_AN_ENTRY * 10L + number),
        new FileIdentity(ROWS_OF_AN_ENTRY * 25L, number, 4_000, number),
        new FileIdentity(ROWS_OF_AN_ENTRY * 13L, number, 400, number));
  }

  /** The next position of each partition, as a checkpoint commits them. */
  private List<SourceRange> ranges(long arrival) {
    List<SourceRange> ranges = new ArrayList<>();
    for (int p = 0; p < partitions; p++) {
      ranges.add(new SourceRange("7Hk1bq0tQ5mGm8ZkqA3wXw:" + p, offset, offset + 1, arrival));
    }
    offset++;
    return ranges;
  }

  private void commitHour(Archive archive) throws IOException {
    now += HOUR / 100;
    archive.commit(ArchiveCommit.ofRanges(List.of(seal(archive, now)), ranges(now), "bench"));
  }

  private static SealedSegment seal(Archive archive, long time) throws IOException {
    FlowBatchBuilder builder = new FlowBatchBuilder(ROWS);
    for (int r = 0; r < ROWS; r++) {
      builder.beginRow();
      builder.set(FlowColumn.END_TIME, time + r);
      builder.set(FlowColumn.ARRIVAL, time + r);
      builder.setAddress(FlowColumn.SRC_ADDR, IpAddress.ofIpv4(0x0A00_0000 + r));
      builder.setAddress(FlowColumn.DST_ADDR, IpAddress.ofIpv4(0x0A01_0000 + r));
      builder.set(FlowColumn.BYTES, r);
      builder.set(FlowColumn.PACKETS, 1);
      builder.endRow();
    }
    FlowBatch batch = FlowBatch.open(builder.build(1, 1, 0, 0));
    return archive.seal(new SegmentWriter(), List.of(batch), Provenance.NONE);
  }

  /** A query of real segments: what it takes beyond reading them is its plan. */
  private void askLastHour(Archive archive) throws IOException {
    FlowQuery query =
        QueryParser.parse(
            "SELECT COUNT(*) FROM flows WHERE end_time >= TIMESTAMP '"
                + FlowTime.text(now)
                + "' AND end_time < TIMESTAMP '"
                + FlowTime.text(now + ROWS)
                + "'");
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      QueryAnswer answer = ArchiveQuery.run(snapshot, query, QueryOptions.DEFAULTS);
      Run.require(
          answer.table().rowCount() == 1 && answer.stats().segmentsConsidered() == 1,
          "the query considered %d segments, not 1",
          answer.stats().segmentsConsidered());
    }
  }

  /** One commit that lets a thousandth of the segments expire. */
  private double expire(Archive archive, int segments) throws IOException {
    int gone = Math.max(1, segments / 1000);
    long width = (END - BEGIN) / segments;
    long until = BEGIN + gone * width + AGE.toNanos() / 1000;
    long begun = System.nanoTime();
    archive.commit(ArchiveCommit.ofRetention(new RetentionChange(null, until, false), "bench"));
    double millis = (System.nanoTime() - begun) / 1e6;
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      int expired = 0;
      for (SealedSegment segment : snapshot.segments()) {
        expired += segment.timeKey().max() < BEGIN + gone * width ? 1 : 0;
      }
      Run.require(expired == 0, "%d segments should have expired and are here", expired);
    }
    return millis;
  }

  private long newestSnapshot() throws IOException {
    try (var files = Files.list(folder.resolve(Manifest.FOLDER))) {
      Path newest =
          files
              .filter(file -> file.toString().endsWith(".snapshot"))
              .max(Path::compareTo)
              .orElseThrow();
      return Files.size(newest);
    }
  }

  private static long heapUsed() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  /** Takes segments whose files do not exist. */
  private static final class Unchecked implements CommitPreparation {
    @Override
    public Expiration prepare(ManifestState before, ArchiveCommit commit) {
      return Expiration.NONE;
    }

    @Override
    public void discard(Expiration expiration, ManifestState now) {
      // nothing was written
    }
  }
}
