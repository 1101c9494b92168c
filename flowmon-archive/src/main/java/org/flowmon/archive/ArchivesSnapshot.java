package org.flowmon.archive;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.flowmon.archive.manifest.HistoryReach;

/**
 * Different archives, one or more, each at one commit, that are read as if they were one: a flow in
 * two of them counts twice. Immutable and safe for many threads; closing closes each snapshot.
 */
public final class ArchivesSnapshot implements AutoCloseable {
  private final List<ArchiveSnapshot> all;
  private final HistoryReach reach;

  /** Throws {@link IllegalArgumentException} as {@link #requireDifferent}. */
  public ArchivesSnapshot(List<ArchiveSnapshot> snapshots) {
    requireDifferent(snapshots);
    this.all = List.copyOf(snapshots);
    this.reach = reachOf(snapshots);
  }

  /**
   * Throws {@link IllegalArgumentException} if there is none, or if one of them, or a copy of it,
   * is there twice.
   */
  public static void requireDifferent(List<ArchiveSnapshot> snapshots) {
    if (snapshots.isEmpty()) {
      throw new IllegalArgumentException("expected at least one archive, found none");
    }
    Set<UUID> archives = new HashSet<>();
    for (ArchiveSnapshot snapshot : snapshots) {
      if (!archives.add(snapshot.archive())) {
        throw new IllegalArgumentException(
            snapshot.location()
                + " is named twice, or is a copy of another archive that is named: its flows would"
                + " count twice; name it once");
      }
    }
  }

  /** That of one archive with all their flows; of at least one. */
  public static HistoryReach reachOf(List<ArchiveSnapshot> snapshots) {
    return snapshots.stream()
        .map(ArchiveSnapshot::reach)
        .reduce(HistoryReach::union)
        .orElseThrow(() -> new IllegalArgumentException("expected at least one archive"));
  }

  public List<ArchiveSnapshot> all() {
    return all;
  }

  public HistoryReach reach() {
    return reach;
  }

  @Override
  public void close() {
    all.forEach(ArchiveSnapshot::close);
  }
}
