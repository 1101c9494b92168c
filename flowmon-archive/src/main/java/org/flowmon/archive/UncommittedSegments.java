package org.flowmon.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.flowmon.archive.lease.SegmentOwners;
import org.flowmon.archive.manifest.ManifestState;

/**
 * The segments that one user of an archive sealed and neither committed nor discarded. This
 * process's lease owns them, so their files are no orphans. Safe for many threads.
 */
final class UncommittedSegments {
  private static final int FEW = 32;

  private final SharedArchive shared;
  private final Set<String> ids = new HashSet<>(); // guarded by this
  private int lookAgainAt = FEW;
  private boolean closed;

  UncommittedSegments(SharedArchive shared) {
    this.shared = shared;
  }

  void own(String id) throws IOException {
    List<String> over = over();
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("this archive was closed: " + shared.location());
      }
      shared.lease().own(List.of(id));
      ids.add(id);
      over.forEach(this::disown);
    }
  }

  /**
   * Segments whose files are gone, or that others committed without telling their writer. Looked
   * for when there are twice as many segments as were left the last time.
   */
  private List<String> over() throws IOException {
    List<String> some;
    synchronized (this) {
      if (ids.size() < lookAgainAt) {
        return List.of();
      }
      some = List.copyOf(ids);
    }
    ManifestState state = shared.manifest().refresh();
    List<String> over = new ArrayList<>();
    for (String id : some) {
      if (state.knows(id)) {
        over.add(id);
      }
    }
    synchronized (this) {
      lookAgainAt = Math.max(FEW, 2 * (some.size() - over.size()));
    }
    return over;
  }

  synchronized void disown(String id) {
    if (ids.remove(id)) {
      shared.lease().disown(List.of(id));
    }
  }

  void committed(List<String> segments) {
    segments.forEach(this::disown);
  }

  /**
   * Owns segments for a commit, also those of another, maybe gone process: their files stay from
   * now on, or are gone before anybody looks. Returns those to disown when the commit is over.
   */
  List<String> takeOver(List<String> segments) throws IOException {
    boolean areOurs;
    synchronized (this) {
      areOurs = ids.containsAll(segments);
    }
    if (areOurs || !shared.store().grace().isZero()) {
      // If leases do not show everyone, only old files are deleted.
      shared.lease().own(segments);
      return segments;
    }
    try (SegmentOwners.Lock lock = SegmentOwners.lock(shared.store().hostFolder())) {
      shared.lease().own(segments);
      return segments;
    }
  }

  synchronized void close() {
    closed = true;
    shared.lease().disown(ids);
    ids.clear();
  }
}
