package org.flowmon.archive;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flowmon.archive.lease.ReaderLease;
import org.flowmon.archive.manifest.ArchiveCommit;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.manifest.Removal;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.StoredFile;

/**
 * Files of an archive that no state needs any more, or that none ever named: what {@link Archive}
 * finds and deletes of them.
 */
final class UnneededFiles {
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
    // Read after the listing: what was committed in between is no orphan.
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

  List<String> removeReplaced(Duration grace) throws IOException {
    ManifestState state = shared.hold();
    try {
      shared.requireLease();
      Duration atLeast = shared.store().grace();
      Instant before = Instant.now().minus(grace.compareTo(atLeast) < 0 ? atLeast : grace);
      long beforeMicros = ChronoUnit.MICROS.between(Instant.EPOCH, before);
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
        shared.manifest().commit(ArchiveCommit.ofDeleted(gone, "deleted files"), segment -> {});
      }
      boolean allReadersKnown = atLeast.isZero();
      shared.manifest().prune(needed, allReadersKnown ? Long.MAX_VALUE : before.toEpochMilli());
      return gone;
    } finally {
      shared.release(state);
    }
  }
}
