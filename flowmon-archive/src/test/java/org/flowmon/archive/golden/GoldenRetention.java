package org.flowmon.archive.golden;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.flow.FlowBatch;

/**
 * Makes {@code src/test/resources/golden/manifest-4}: an archive whose flows expire, with late,
 * trimmed, merged and deleted segments, deleted old commits, and a host directory. Beside it,
 * {@code manifest-4.rows.txt} has all rows that were ever committed, in the order of their commits.
 * Like {@link GoldenArchive}, it is never made again.
 */
final class GoldenRetention {
  static final int KEPT = 180;
  static final int SLACK = 100;
  static final int COMMITTED = 318;
  static final int LATE = 5;
  static final long AGE = 3600_000_000L * 24 * 400;

  private final Archive archive;
  private final List<String> lines = new ArrayList<>();

  private GoldenRetention(Archive archive) {
    this.archive = archive;
  }

  public static void main(String[] arguments) throws IOException {
    Path directory = Path.of(arguments[0]);
    try (Archive archive = Archive.create(directory, new ArchiveOptions(2, 16))) {
      archive.setSegmentOptions(SegmentOptions.parse("compact index=+service,bytes"));
      GoldenRetention golden = new GoldenRetention(archive);
      golden.make();
      Files.write(directory.resolveSibling(directory.getFileName() + ".rows.txt"), golden.lines);
    }
    GoldenArchive.deleteLeases(directory);
  }

  private void make() throws IOException {
    GoldenArchive.commit(archive, 0, 1, GoldenArchive.ranges(0, 4), lines);
    GoldenArchive.commit(archive, 1, 150, GoldenArchive.ranges(4, 9), lines);
    GoldenArchive.commit(archive, 2, 60, null, lines);
    GoldenArchive.commit(archive, 3, 37, GoldenArchive.ranges(12, 20), lines);
    limit(new RetentionOptions(KEPT, SLACK, 0, 0));
    late();
    GoldenArchive.commit(archive, 4, 30, GoldenArchive.ranges(25, 30), lines);
    GoldenArchive.commit(archive, 5, 20, GoldenArchive.ranges(30, 35), lines);
    new Compactor(archive, new CompactionOptions(140, 280)).step(() -> false);
    archive.removeReplaced(Duration.ZERO);
    limit(new RetentionOptions(KEPT, SLACK, AGE, 1L << 40));
    GoldenArchive.commit(archive, 6, 8, GoldenArchive.ranges(35, 40), lines);
    archive.updateDirectory(false, () -> false);
    GoldenArchive.commit(archive, 7, 7, GoldenArchive.ranges(40, 45), lines);
  }

  private void limit(RetentionOptions limits) throws IOException {
    archive.commit(ArchiveCommit.ofRetention(RetentionChange.to(limits), "golden"));
  }

  /** Rows before the cutoff. */
  private void late() throws IOException {
    FlowBatch batch = GoldenArchive.batch(0, 500, LATE);
    SealedSegment sealed =
        archive.seal(archive.newSegmentWriter(), List.of(batch), Provenance.of("golden", "yes"));
    archive.commit(ArchiveCommit.ofRanges(List.of(sealed), GoldenArchive.ranges(20, 25), "golden"));
    GoldenArchive.addLines(batch, lines);
  }
}
