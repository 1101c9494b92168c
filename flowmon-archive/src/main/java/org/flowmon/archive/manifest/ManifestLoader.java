package org.flowmon.archive.manifest;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.NavigableSet;
import java.util.TreeSet;
import org.flowmon.archive.log.LazyLogger;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.StoredFile;
import org.jspecify.annotations.Nullable;

/** Reads a manifest's files: the newest sound snapshot, then the commits after it. */
final class ManifestLoader {
  private static final LazyLogger LOG = new LazyLogger(ManifestLoader.class);

  private ManifestLoader() {}

  static NavigableSet<Long> numbers(List<StoredFile> files, ManifestFrame.Kind kind) {
    NavigableSet<Long> numbers = new TreeSet<>();
    for (StoredFile file : files) {
      String name = file.fileName();
      // Two zeros leave 18 digits, which always fit a long.
      if (name.matches("00\\d{18}\\" + kind.suffix())) {
        numbers.add(Long.parseLong(name.substring(0, 20)));
      }
    }
    return numbers;
  }

  static ManifestState load(ArchiveStore store) throws IOException {
    List<StoredFile> files = store.list(Manifest.FOLDER);
    NavigableSet<Long> commits = numbers(files, ManifestFrame.Kind.COMMIT);
    NavigableSet<Long> snapshots = numbers(files, ManifestFrame.Kind.SNAPSHOT);
    if (commits.isEmpty() && snapshots.isEmpty()) {
      throw new NoSuchFileException(
          store.describe(Manifest.FOLDER), null, "no archive: there is no manifest");
    }
    ManifestSum builder = newestSnapshot(store, snapshots);
    if (builder == null) {
      builder = beginning(store);
    }
    readOn(store, builder);
    long promised = promised(store, commits, snapshots);
    if (promised > builder.number()) {
      // Another process may have committed since the folder was listed.
      readOn(store, builder);
      requireThrough(promised, builder.number());
    }
    return builder.build();
  }

  /** The largest number that a file name or {@link LatestCommit} names: this commit must exist. */
  private static long promised(
      ArchiveStore store, NavigableSet<Long> commits, NavigableSet<Long> snapshots)
      throws IOException {
    long promised = commits.isEmpty() ? -1 : commits.last();
    promised = Math.max(promised, snapshots.isEmpty() ? -1 : snapshots.last());
    try {
      return Math.max(promised, LatestCommit.read(store));
    } catch (ManifestCorruptException e) {
      LOG.get().warn("ignored: {}", e.getMessage());
      return promised;
    }
  }

  private static void requireThrough(long promised, long found) {
    if (promised > found) {
      throw missing(found + 1, "commit " + promised + " was written after it");
    }
  }

  static ManifestCorruptException missing(long number, String why) {
    return new ManifestCorruptException(
        ManifestFrame.Kind.COMMIT.fileName(number), "file", "missing, though " + why);
  }

  static @Nullable ManifestSum newestSnapshot(ArchiveStore store, NavigableSet<Long> snapshots)
      throws IOException {
    for (long number : snapshots.descendingSet()) {
      String file = ManifestFrame.Kind.SNAPSHOT.fileName(number);
      try {
        byte[] bytes = store.read(file, ManifestFrame.MAX_BYTES);
        if (bytes != null) {
          return ManifestSnapshot.read(file, bytes, number);
        }
      } catch (ManifestCorruptException e) {
        LOG.get().warn("a snapshot of the manifest is ignored: {}", e.getMessage());
      }
    }
    return null;
  }

  static ManifestSum beginning(ArchiveStore store) throws IOException {
    String file = ManifestFrame.Kind.COMMIT.fileName(0);
    byte[] bytes = store.read(file, ManifestFrame.MAX_BYTES);
    if (bytes == null) {
      throw missing(0, "there are later ones");
    }
    CommitRecord creation = CommitRecord.fromBytes(file, bytes, 0);
    ManifestSum builder = new ManifestSum(creation.frame().archive());
    builder.add(file, creation);
    return builder;
  }

  /** Adds the following commits; false if there is none. */
  static boolean readOn(ArchiveStore store, ManifestSum builder) throws IOException {
    boolean any = false;
    while (addNext(store, builder)) {
      any = true;
    }
    return any;
  }

  /** Adds the next commit; false if there is none. */
  static boolean addNext(ArchiveStore store, ManifestSum builder) throws IOException {
    long next = builder.number() + 1;
    String file = ManifestFrame.Kind.COMMIT.fileName(next);
    byte[] bytes = store.read(file, ManifestFrame.MAX_BYTES);
    if (bytes == null) {
      return false;
    }
    builder.add(file, CommitRecord.fromBytes(file, bytes, next));
    return true;
  }
}
