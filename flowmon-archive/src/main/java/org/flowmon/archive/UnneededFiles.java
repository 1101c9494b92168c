package org.flowmon.archive;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.Removal;
import org.flowmon.archive.lease.ReaderLease;
import org.flowmon.archive.lease.SegmentOwners;
import org.flowmon.archive.manifest.CommitPreparation;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.flowmon.flow.time.FlowTime;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds and deletes an archive's files that no state needs any more, or that none ever named. */
final class UnneededFiles {
  private static final Logger LOG = LoggerFactory.getLogger(UnneededFiles.class);
  // Files wait for their commit for a checkpoint interval at most; a stuck writer may wait longer.
  private static final Duration SURELY_OLD = Duration.ofDays(1);
  // Manifest's temporary files: while a commit is written. A writer whose file is gone commits
  // nothing.
  private static final Duration OLD_COMMIT = Duration.ofMinutes(10);
  // Of other hosts, for example of a job: their leases may not be visible.
  private static final Duration FOREIGN_READERS = Duration.ofMinutes(10);

  // <id>.parquet and <id>.idx, and their names while they are written.
  private static final Pattern OF_SEGMENT =
      Pattern.compile("\\.?([0-9a-z][0-9a-z-]*)\\.(?:parquet|idx)(?:\\.tmp)?");

  private final SharedArchive shared;

  UnneededFiles(SharedArchive shared) {
    this.shared = shared;
  }

  List<String> orphans() throws IOException {
    return orphans(Long.MAX_VALUE).stream().map(f -> shared.store().describe(f.name())).toList();
  }

  private List<StoredFile> orphans(long modifiedBefore) throws IOException {
    ArchiveStore store = shared.store();
    List<StoredFile> files = new ArrayList<>(store.list(Manifest.FOLDER));
    files.removeIf(f -> !f.fileName().startsWith(ArchiveStore.TEMPORARY_PREFIX));
    files.addAll(store.list(Archive.SEGMENTS));
    files.removeIf(f -> f.modifiedMillis() > modifiedBefore);
    // Read after the listing: a segment committed in between is no orphan.
    ManifestState state = shared.manifest().refresh();
    files.removeIf(f -> f.name().startsWith(Archive.SEGMENTS) && isKnown(state, f));
    return files;
  }

  private static boolean isKnown(ManifestState state, StoredFile file) {
    String name = file.fileName();
    int dot = name.lastIndexOf('.');
    String suffix = dot < 0 ? "" : name.substring(dot);
    if (!suffix.equals(".parquet") && !suffix.equals(".idx")) {
      return false;
    }
    String id = name.substring(0, dot);
    return state.knows(id);
  }

  List<String> removeOrphans(Duration olderThan) throws IOException {
    List<String> deleted = new ArrayList<>();
    long before = System.currentTimeMillis() - olderThan.toMillis();
    for (StoredFile orphan : orphans(before)) {
      if (shared.store().delete(orphan.name())) {
        deleted.add(shared.store().describe(orphan.name()));
      }
    }
    return deleted;
  }

  OrphanSweep sweep() throws IOException {
    return sweep(Duration.ZERO);
  }

  OrphanSweep sweep(Duration olderThan) throws IOException {
    ArchiveStore store = shared.store();
    List<StoredFile> deleted = new ArrayList<>();
    if (!store.grace().isZero()) {
      // Leases of other hosts cannot be seen: only old files have no owner for sure.
      long before = System.currentTimeMillis() - SURELY_OLD.toMillis();
      delete(orphans(before), deleted);
      OrphanSweep here = sweepWriteFolder();
      return swept(deleted, here);
    }
    try (SegmentOwners.Lock lock = SegmentOwners.lock(store.hostFolder())) {
      // In this order: a file listed before the owners are read is owned by then, or nobody will
      // commit it. If committed meanwhile, the newest commit, read last, names it.
      List<StoredFile> files = store.list(Archive.SEGMENTS);
      files.addAll(store.list(Manifest.FOLDER));
      SegmentOwners owners = SegmentOwners.of(store.hostFolder());
      ManifestState state = shared.manifest().refresh();
      long before = System.currentTimeMillis() - olderThan.toMillis();
      files.removeIf(file -> file.modifiedMillis() > before || !isNobodys(file, owners, state));
      if (!files.isEmpty()) {
        shared.manifest().settle();
      }
      delete(files, deleted);
    }
    return swept(deleted, new OrphanSweep(List.of(), 0));
  }

  private OrphanSweep swept(List<StoredFile> deleted, OrphanSweep more) {
    List<String> names = new ArrayList<>(more.files());
    deleted.forEach(file -> names.add(shared.store().describe(file.name())));
    return new OrphanSweep(
        names, more.bytes() + deleted.stream().mapToLong(StoredFile::bytes).sum());
  }

  private void delete(List<StoredFile> files, List<StoredFile> deleted) throws IOException {
    for (StoredFile file : files) {
      if (shared.store().delete(file.name())) {
        deleted.add(file);
      }
    }
  }

  private static boolean isNobodys(StoredFile file, SegmentOwners owners, ManifestState state) {
    long age = System.currentTimeMillis() - file.modifiedMillis();
    if (file.name().startsWith(Manifest.FOLDER)) {
      return file.fileName().startsWith(ArchiveStore.TEMPORARY_PREFIX)
          && age > OLD_COMMIT.toMillis();
    }
    Matcher name = OF_SEGMENT.matcher(file.fileName());
    if (name.matches()) {
      String id = name.group(1);
      return !owners.ids().contains(id)
          && (file.fileName().endsWith(".tmp") || !state.knows(id))
          && (owners.complete() || age > SURELY_OLD.toMillis());
    }
    return age > SURELY_OLD.toMillis();
  }

  /** Deletes segments that ended processes of this host sealed and did not put into the store. */
  private OrphanSweep sweepWriteFolder() throws IOException {
    List<Path> files = new ArrayList<>();
    try (DirectoryStream<Path> all =
        Files.newDirectoryStream(shared.store().writeFolder(Archive.SEGMENTS))) {
      all.forEach(files::add);
    }
    SegmentOwners owners = SegmentOwners.of(shared.store().hostFolder());
    List<String> deleted = new ArrayList<>();
    long bytes = 0;
    for (Path file : files) {
      Matcher name = OF_SEGMENT.matcher(file.getFileName().toString());
      if (owners.complete() && name.matches() && !owners.ids().contains(name.group(1))) {
        long length = file.toFile().length();
        if (Files.deleteIfExists(file)) {
          bytes += length;
          deleted.add(file.toString());
        }
      }
    }
    return new OrphanSweep(deleted, bytes);
  }

  /** Deletes all unneeded files for a full disk; returns the freed bytes, about. */
  long makeRoom() throws IOException {
    long bytes = sweep().bytes();
    try {
      return bytes + removeReplaced();
    } catch (IOException e) {
      LOG.warn("files of replaced segments could not be deleted", e);
      return bytes;
    }
  }

  private long removeReplaced() throws IOException {
    if (shared.manifest().refresh().removed().isEmpty()) {
      return 0;
    }
    boolean foreign = SegmentOwners.of(shared.store().hostFolder()).foreign();
    Map<String, Long> lengths = new HashMap<>();
    for (StoredFile file : shared.store().list(Archive.SEGMENTS)) {
      lengths.put(file.fileName(), file.bytes());
    }
    long bytes = 0;
    for (String id : removeReplaced(foreign ? FOREIGN_READERS : Duration.ZERO)) {
      bytes += lengths.getOrDefault(id + ".parquet", 0L) + lengths.getOrDefault(id + ".idx", 0L);
    }
    return bytes;
  }

  List<String> removeReplaced(Duration grace) throws IOException {
    ManifestState state = shared.hold();
    try {
      shared.requireLease();
      Duration atLeast = shared.store().grace();
      Instant before = Instant.now().minus(grace.compareTo(atLeast) < 0 ? atLeast : grace);
      long beforeMicros = FlowTime.micros(before);
      // After the commits that took something away were read, so each of them is on disk.
      long needed = ReaderLease.smallest(shared.store().hostFolder());
      if (!state.removed().isEmpty()) {
        shared.manifest().settle();
      }
      List<String> gone = new ArrayList<>();
      for (Map.Entry<String, Removal> removed : state.removed().entrySet()) {
        Removal removal = removed.getValue();
        if (removal.commit() <= needed && removal.timeMicros() <= beforeMicros) {
          shared.segments().forget(removed.getKey());
          shared.store().delete(Archive.SEGMENTS + "/" + removed.getKey() + ".parquet");
          shared.store().delete(Archive.SEGMENTS + "/" + removed.getKey() + ".idx");
          gone.add(removed.getKey());
        }
      }
      if (!gone.isEmpty()) {
        shared
            .manifest()
            .commit(ArchiveCommit.ofDeleted(gone, "deleted files"), CommitPreparation.NONE);
      }
      boolean allReadersKnown = atLeast.isZero();
      shared.manifest().prune(needed, allReadersKnown ? Long.MAX_VALUE : before.toEpochMilli());
      return gone;
    } finally {
      shared.release(state);
    }
  }
}
