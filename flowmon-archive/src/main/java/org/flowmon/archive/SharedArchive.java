package org.flowmon.archive;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.flowmon.archive.lease.ReaderLease;
import org.flowmon.archive.manifest.Manifest;
import org.flowmon.archive.manifest.ManifestState;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.LocalArchiveStore;

/**
 * What all users of one archive in this process share: the manifest's state and the open segments.
 * Counted by reference; the last one closes it.
 */
final class SharedArchive {
  private static final Map<Path, SharedArchive> OPEN = new HashMap<>();

  private final Path directory;
  private final ArchiveStore store;
  private final Manifest manifest;
  private final ReaderLease lease;
  private final OpenSegments segments;
  private int references;

  private SharedArchive(
      Path directory,
      ArchiveStore store,
      Manifest manifest,
      ReaderLease lease,
      ArchiveOptions options) {
    this.directory = directory;
    this.store = store;
    this.manifest = manifest;
    this.lease = lease;
    this.segments =
        new OpenSegments(
            directory.resolve(Archive.SEGMENTS), options.maxOpenSegments(), lease.protects());
  }

  /** The shared archive of a directory, with one reference more. */
  static SharedArchive acquire(Path directory, ArchiveOptions options) throws IOException {
    Path real = directory.toRealPath();
    synchronized (OPEN) {
      SharedArchive shared = OPEN.get(real);
      if (shared == null) {
        shared = open(real, options);
        OPEN.put(real, shared);
      }
      shared.references++;
      return shared;
    }
  }

  private static SharedArchive open(Path real, ArchiveOptions options) throws IOException {
    ReaderLease lease = ReaderLease.take(real);
    try {
      ArchiveStore store = new LocalArchiveStore(real);
      Manifest manifest = Manifest.open(store, options.snapshotEvery());
      lease.release(0);
      return new SharedArchive(real, store, manifest, lease, options);
    } catch (IOException | RuntimeException e) {
      lease.close();
      throw e;
    }
  }

  /** The newest state, which the lease holds until {@link #release(ManifestState)}. */
  ManifestState hold() throws IOException {
    // Held before it is read: what the state names may not vanish in between.
    long known = manifest.state().number();
    lease.hold(known);
    try {
      ManifestState state = manifest.refresh();
      lease.move(known, state.number());
      return state;
    } catch (IOException | RuntimeException e) {
      lease.release(known);
      throw e;
    }
  }

  /**
   * Refuses to go on where nothing keeps others from deleting commits: one of them could be written
   * a second time.
   */
  void requireLease() throws IOException {
    if (!lease.protects()) {
      throw new AccessDeniedException(
          directory.resolve(ReaderLease.FOLDER).toString(),
          null,
          "no lease could be made here, and without one nothing is committed; let this user write"
              + " in the folder");
    }
  }

  void release(ManifestState state) {
    lease.release(state.number());
  }

  /** Whether others know what is held, and so keep its files. */
  boolean isLeased() {
    return lease.protects();
  }

  SharedArchive acquire() {
    synchronized (OPEN) {
      if (references == 0) {
        throw new IllegalStateException("the archive " + directory + " is closed");
      }
      references++;
      return this;
    }
  }

  void release() {
    synchronized (OPEN) {
      references--;
      if (references > 0) {
        return;
      }
      OPEN.remove(directory);
    }
    segments.close();
    lease.close();
  }

  Path directory() {
    return directory;
  }

  ArchiveStore store() {
    return store;
  }

  Manifest manifest() {
    return manifest;
  }

  OpenSegments segments() {
    return segments;
  }
}
