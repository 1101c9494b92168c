package org.flowmon.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.flowmon.archive.manifest.Manifest;
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
  private final OpenSegments segments;
  private int references;

  private SharedArchive(
      Path directory, ArchiveStore store, Manifest manifest, ArchiveOptions options) {
    this.directory = directory;
    this.store = store;
    this.manifest = manifest;
    this.segments =
        new OpenSegments(directory.resolve(Archive.SEGMENTS), options.maxOpenSegments());
  }

  /** The shared archive of a directory, with one reference more. */
  static SharedArchive acquire(Path directory, ArchiveOptions options) throws IOException {
    Path real = directory.toRealPath();
    synchronized (OPEN) {
      SharedArchive shared = OPEN.get(real);
      if (shared == null) {
        ArchiveStore store = new LocalArchiveStore(real);
        Manifest manifest = Manifest.open(store, options.snapshotEvery());
        shared = new SharedArchive(real, store, manifest, options);
        OPEN.put(real, shared);
      }
      shared.references++;
      return shared;
    }
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
