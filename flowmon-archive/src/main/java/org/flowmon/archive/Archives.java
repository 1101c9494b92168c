package org.flowmon.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.FetchCounts;

/** Archives that are read as one, opened together. To be closed. */
public final class Archives implements AutoCloseable {
  private final List<Archive> all = new ArrayList<>();

  private Archives() {}

  /** Opens one archive. */
  @FunctionalInterface
  private interface Opening {
    Archive open(ArchiveLocation location, ArchiveOptions options) throws IOException;
  }

  /** Opens existing archives. */
  public static Archives open(List<ArchiveLocation> locations) throws IOException {
    return open(locations, Archive::open);
  }

  /** Opens archives and makes those that are missing. */
  public static Archives openOrCreate(List<ArchiveLocation> locations) throws IOException {
    return open(locations, Archive::openOrCreate);
  }

  private static Archives open(List<ArchiveLocation> locations, Opening opening)
      throws IOException {
    Archives archives = new Archives();
    boolean done = false;
    try {
      for (ArchiveLocation location : locations) {
        archives.all.add(opening.open(location, ArchiveOptions.DEFAULTS));
      }
      done = true;
      return archives;
    } finally {
      if (!done) {
        archives.close();
      }
    }
  }

  public List<Archive> all() {
    return List.copyOf(all);
  }

  /** What reading all of them has cost so far. */
  public FetchCounts fetched() {
    return all.stream().map(Archive::fetched).reduce(FetchCounts.NONE, FetchCounts::plus);
  }

  /** The newest state of each. */
  public ArchivesSnapshot snapshot() throws IOException {
    List<ArchiveSnapshot> snapshots = new ArrayList<>();
    boolean done = false;
    try {
      for (Archive archive : all) {
        snapshots.add(archive.snapshot());
      }
      ArchivesSnapshot snapshot = new ArchivesSnapshot(snapshots);
      done = true;
      return snapshot;
    } finally {
      if (!done) {
        snapshots.forEach(ArchiveSnapshot::close);
      }
    }
  }

  @Override
  public void close() {
    all.forEach(Archive::close);
  }
}
