package org.flowmon.it.crash;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveImporter;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.commit.RetentionChange;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.maintenance.CompactionOptions;
import org.flowmon.archive.maintenance.Compactor;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.archive.store.ArchiveLocation;

/**
 * A process that does to an archive whatever is done to one: commits what {@link FedFlows} has
 * next, the last batches once more, merges, trims, deletes and brings the host directory up to
 * date. Each commit is said on standard output once it was acknowledged.
 *
 * <pre>  java … ArchiveFeeder LOCATION SEED CYCLES</pre>
 */
final class ArchiveFeeder {
  static final String PARTITION = "topic:0";

  /** Batches that come again after a restart, as flows from Kafka do after the last checkpoint. */
  private static final int AGAIN = 1;

  private final Archive archive;
  private final FedFlows flows;
  private final SegmentWriter writer = new SegmentWriter();

  ArchiveFeeder(Archive archive, FedFlows flows) {
    this.archive = archive;
    this.flows = flows;
  }

  public static void main(String[] arguments) throws IOException {
    // A snapshot of the manifest with each third commit, so that old commits are deleted too.
    ArchiveOptions options = new ArchiveOptions(3, 16);
    int cycles = Integer.parseInt(arguments[2]);
    try (Archive archive = Archive.open(ArchiveLocation.parse(arguments[0]), options)) {
      new ArchiveFeeder(archive, new FedFlows(Long.parseLong(arguments[1]))).run(cycles);
    }
  }

  /** Does everything some times. */
  void run(int cycles) throws IOException {
    for (int cycle = 0; cycle < cycles; cycle++) {
      feedPartition(cycle == 0 ? AGAIN : 0);
      feedFiles(cycle == 0 ? AGAIN : 0);
      maintain(cycle);
    }
  }

  /** How many files were imported, which follow each other. */
  static int files(ArchiveSnapshot snapshot) {
    int files = 0;
    while (snapshot.isImported(FedFlows.fileId(files))) {
      files++;
    }
    return files;
  }

  private void feedPartition(int again) throws IOException {
    int next = (int) Math.max(0, archive.committedEnd(PARTITION));
    for (int i = Math.max(0, next - again); i <= next; i++) {
      var batch = flows.batch(FedFlows.Source.PARTITION, i);
      List<SealedSegment> sealed =
          batch.isEmpty() ? List.of() : List.of(archive.seal(writer, batch, Provenance.NONE));
      SourceRange range = new SourceRange(PARTITION, i, i + 1, FedFlows.clock(i));
      if (archive.commit(ArchiveCommit.ofRanges(sealed, List.of(range), "fed")).isRepeat()) {
        for (SealedSegment segment : sealed) {
          archive.discard(segment);
        }
      }
      say(FedFlows.Source.PARTITION, i);
    }
  }

  private void feedFiles(int again) throws IOException {
    int next;
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      next = files(snapshot);
    }
    for (int i = Math.max(0, next - again); i <= next; i++) {
      ImportedFile file = new ImportedFile(FedFlows.fileId(i), "file " + i, 1);
      try (ArchiveImporter importer = new ArchiveImporter(archive, file, false)) {
        for (var batch : flows.batch(FedFlows.Source.FILES, i)) {
          importer.add(batch);
        }
        importer.commit("fed");
      } catch (CommitRefusedException e) {
        if (e.reason() != CommitRefusedException.Reason.ALREADY_IMPORTED) {
          throw e;
        }
      }
      say(FedFlows.Source.FILES, i);
    }
  }

  private static void say(FedFlows.Source source, int batch) {
    System.out.println(source + " " + batch);
    System.out.flush();
  }

  private void maintain(int cycle) throws IOException {
    Compactor compactor = new Compactor(archive, new CompactionOptions(400, 800));
    int steps = 0;
    while (steps < 2 && compactor.step(() -> false) != null) {
      steps++;
    }
    if (cycle % 3 == 0) {
      RetentionChange trim = new RetentionChange(null, Long.MIN_VALUE, true);
      archive.commit(ArchiveCommit.ofRetention(trim, "trimmed"));
    }
    archive.updateDirectory(false, () -> false);
    archive.removeReplaced(Duration.ZERO);
  }
}
