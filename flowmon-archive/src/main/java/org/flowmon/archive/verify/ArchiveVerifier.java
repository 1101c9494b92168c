package org.flowmon.archive.verify;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.lease.ReaderLease;
import org.flowmon.archive.manifest.ManifestAudit;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentVerifier;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.archive.store.StoredFile;
import org.flowmon.archive.verify.VerifyReport.Damage;

/** Reads every byte of an archive and names what is not as it was written. */
public final class ArchiveVerifier {
  private ArchiveVerifier() {}

  /** As {@link #verify(ArchiveLocation)}, of a directory. */
  public static VerifyReport verify(Path directory) throws IOException {
    return verify(ArchiveLocation.of(directory));
  }

  /**
   * Verifies an archive; others may read and commit meanwhile. Files of a store that is not local
   * are fetched anew, one segment at a time.
   *
   * <p>Where the manifest itself is damaged, the segments of its sound commits are verified all the
   * same, but no segment is called an orphan: it may belong to a commit that cannot be read.
   *
   * @throws NoSuchFileException where there is no archive
   */
  public static VerifyReport verify(ArchiveLocation location) throws IOException {
    return verify(location, rows -> {});
  }

  /**
   * As the other.
   *
   * @param progress told the rows of each segment that was read; what it throws ends the reading
   */
  public static VerifyReport verify(ArchiveLocation location, LongConsumer progress)
      throws IOException {
    if (!Archive.exists(location)) {
      throw new NoSuchFileException(location.toString(), null, "no archive");
    }
    // Nobody deletes what a merge takes away while it is being verified.
    try (ArchiveStore store = location.openStore();
        ReaderLease lease = ReaderLease.take(store.hostFolder())) {
      return verifyHeld(store, progress);
    }
  }

  private static VerifyReport verifyHeld(ArchiveStore store, LongConsumer progress)
      throws IOException {
    // Before the manifest is read: what is committed later is not taken for an orphan.
    List<StoredFile> files = store.list(Archive.SEGMENTS);
    ManifestAudit manifest = ManifestAudit.of(store);
    List<Damage> damages = new ArrayList<>();
    for (ManifestCorruptException damage : manifest.damages()) {
      damages.add(new Damage(store.describe(damage.file()), damage.place(), damage.what()));
    }
    Set<String> known = new HashSet<>();
    long rows = 0;
    long bytes = manifest.bytes();
    for (SealedSegment segment : manifest.segments()) {
      known.add(segment.fileName());
      known.add(segment.indexFileName());
      rows += segment.rows();
      bytes += segment.bytesOnDisk();
      damages.addAll(damages(store, segment));
      progress.accept(segment.rows());
    }
    if (damages.isEmpty() && manifest.state() != null) {
      damages.addAll(RetentionCheck.of(store, manifest.state()));
    }
    List<String> orphans = new ArrayList<>();
    manifest.orphans().forEach(file -> orphans.add(store.describe(file.name())));
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
          .forEach(file -> orphans.add(store.describe(file.name())));
    }
    return new VerifyReport(
        manifest.commits(), manifest.segments().size(), rows, bytes, damages, orphans);
  }

  private static List<Damage> damages(ArchiveStore store, SealedSegment segment)
      throws IOException {
    String folder = Archive.SEGMENTS + "/";
    try (HeldFolder files =
        store.asStored(List.of(folder + segment.fileName(), folder + segment.indexFileName()))) {
      return SegmentVerifier.verify(files.folder(), segment).stream()
          .map(
              d -> new Damage(store.describe(folder + d.file().getFileName()), d.place(), d.what()))
          .toList();
    }
  }
}
