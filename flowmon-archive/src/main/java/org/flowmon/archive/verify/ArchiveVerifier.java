package org.flowmon.archive.verify;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.Archive;
import org.flowmon.archive.lease.ReaderLease;
import org.flowmon.archive.manifest.ManifestAudit;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentVerifier;
import org.flowmon.archive.store.LocalArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.flowmon.archive.verify.VerifyReport.Damage;

/** Reads every byte of an archive and names what is not as it was written. */
public final class ArchiveVerifier {
  private ArchiveVerifier() {}

  /**
   * Verifies an archive; others may read and commit meanwhile.
   *
   * <p>Where the manifest itself is damaged, the segments of its sound commits are verified all the
   * same, but no segment is called an orphan: it may belong to a commit that cannot be read.
   *
   * @throws NoSuchFileException where there is no archive
   */
  public static VerifyReport verify(Path directory) throws IOException {
    if (!Archive.exists(directory)) {
      throw new NoSuchFileException(directory.toString(), null, "no archive");
    }
    // Nobody deletes what a merge takes away while it is being verified.
    try (ReaderLease lease = ReaderLease.take(directory)) {
      return verifyHeld(directory);
    }
  }

  private static VerifyReport verifyHeld(Path directory) throws IOException {
    LocalArchiveStore store = new LocalArchiveStore(directory);
    // Before the manifest is read: what is committed later is not taken for an orphan.
    List<StoredFile> files = store.list(Archive.SEGMENTS);
    ManifestAudit manifest = ManifestAudit.of(store);
    List<Damage> damages = new ArrayList<>();
    for (ManifestCorruptException damage : manifest.damages()) {
      damages.add(new Damage(directory.resolve(damage.file()), damage.place(), damage.what()));
    }
    Path folder = directory.resolve(Archive.SEGMENTS);
    Set<String> known = new HashSet<>();
    long rows = 0;
    long bytes = manifest.bytes();
    for (SealedSegment segment : manifest.segments()) {
      known.add(segment.fileName());
      known.add(segment.indexFileName());
      rows += segment.rows();
      bytes += segment.bytesOnDisk();
      for (SegmentVerifier.Damage damage : SegmentVerifier.verify(folder, segment)) {
        damages.add(new Damage(damage.file(), damage.place(), damage.what()));
      }
    }
    List<Path> orphans = new ArrayList<>();
    manifest.orphans().forEach(file -> orphans.add(directory.resolve(file.name())));
    if (manifest.damages().isEmpty()) {
      manifest
          .removed()
          .forEach(
              id -> {
                known.add(id + ".parquet");
                known.add(id + ".idx");
              });
      files.stream()
          .filter(file -> !known.contains(file.fileName()))
          .forEach(file -> orphans.add(directory.resolve(file.name())));
    }
    return new VerifyReport(
        manifest.commits(), manifest.segments().size(), rows, bytes, damages, orphans);
  }
}
