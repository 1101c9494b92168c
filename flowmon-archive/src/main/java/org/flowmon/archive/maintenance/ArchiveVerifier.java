package org.flowmon.archive.maintenance;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.LongConsumer;
import org.flowmon.archive.Archive;
import org.flowmon.archive.days.DaySums;
import org.flowmon.archive.derived.RunFolder;
import org.flowmon.archive.derived.RunProblem;
import org.flowmon.archive.directory.HostDirectory;
import org.flowmon.archive.lease.ReaderLease;
import org.flowmon.archive.maintenance.VerifyReport.Damage;
import org.flowmon.archive.manifest.LatestCommit;
import org.flowmon.archive.manifest.ManifestAudit;
import org.flowmon.archive.manifest.ManifestCorruptException;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentVerifier;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.flowmon.archive.store.StoredFile;

/** Reads every byte of an archive and reports all damage. */
public final class ArchiveVerifier {
  private static final String FROM_A_COPY =
      "put its file back from a copy of the archive, which has its content nowhere else";
  private static final String SIDECAR =
      "answers stay right, by the rows alone; flowmon repack rebuilds the sidecar";
  private static final String LATEST =
      "delete it: it only tells that the newest commit's file is there";

  private ArchiveVerifier() {}

  public static VerifyReport verify(Path directory) throws IOException {
    return verify(ArchiveLocation.of(directory));
  }

  /**
   * Verifies an archive; others may read and commit meanwhile. Files of a remote store are fetched
   * anew, one segment at a time. If the manifest is damaged, segments of sound commits are still
   * verified, but none is called an orphan: it may belong to an unreadable commit.
   *
   * @throws NoSuchFileException if there is no archive
   */
  public static VerifyReport verify(ArchiveLocation location) throws IOException {
    return verify(location, rows -> {});
  }

  /** {@code progress} gets each verified segment's rows; its exception ends the verification. */
  public static VerifyReport verify(ArchiveLocation location, LongConsumer progress)
      throws IOException {
    if (!Archive.exists(location)) {
      throw new NoSuchFileException(location.toString(), null, "no archive");
    }
    // Held: nobody deletes merged segments while they are being verified.
    try (ArchiveStore store = location.openStore();
        ReaderLease lease = ReaderLease.take(store.hostFolder())) {
      return verifyHeld(store, progress);
    }
  }

  private static VerifyReport verifyHeld(ArchiveStore store, LongConsumer progress)
      throws IOException {
    // Listed before the manifest is read: segments committed later are not taken for orphans.
    List<StoredFile> files = store.list(Archive.SEGMENTS);
    ManifestAudit manifest = ManifestAudit.of(store);
    List<Damage> damages = new ArrayList<>();
    for (ManifestCorruptException damage : manifest.damages()) {
      String remedy = damage.file().equals(LatestCommit.FILE) ? LATEST : FROM_A_COPY;
      damages.add(new Damage(store.describe(damage.file()), damage.place(), damage.what(), remedy));
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
    List<String> passedOver = new ArrayList<>();
    if (manifest.state() != null) {
      derived(store, manifest.state(), damages, passedOver);
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
        manifest.commits(), manifest.segments().size(), rows, bytes, damages, orphans, passedOver);
  }

  /** Checks derived files, which have to agree with the segments. */
  private static void derived(
      ArchiveStore store, ManifestState state, List<Damage> damages, List<String> passedOver)
      throws IOException {
    try (HostDirectory hosts = new HostDirectory(store, state.archive());
        DaySums days = new DaySums(store, state.archive())) {
      for (RunFolder<?> runs : List.of(hosts, days)) {
        for (RunProblem problem : runs.check(Archive.SEGMENTS, state.segments())) {
          String file = store.describe(runs.kind().folder() + "/" + problem.run());
          String remedy = problem.remedy();
          if (remedy != null) {
            damages.add(new Damage(file, "run", problem.what(), remedy));
          } else {
            passedOver.add(file + ": " + problem.what());
          }
        }
      }
    }
  }

  private static List<Damage> damages(ArchiveStore store, SealedSegment segment)
      throws IOException {
    String folder = Archive.SEGMENTS + "/";
    try (HeldFolder files =
        store.asStored(List.of(folder + segment.fileName(), folder + segment.indexFileName()))) {
      return SegmentVerifier.verify(files.folder(), segment).stream()
          .map(d -> damage(store, segment, d))
          .toList();
    }
  }

  private static Damage damage(
      ArchiveStore store, SealedSegment segment, SegmentVerifier.Damage damage) {
    String name = damage.file().getFileName().toString();
    return new Damage(
        store.describe(Archive.SEGMENTS + "/" + name),
        damage.place(),
        damage.what(),
        name.equals(segment.indexFileName()) ? SIDECAR : FROM_A_COPY);
  }
}
