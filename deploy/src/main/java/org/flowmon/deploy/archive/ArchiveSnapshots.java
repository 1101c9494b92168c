package org.flowmon.deploy.archive;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.FetchCounts;

/** The newest snapshot of each archive of a command. */
public final class ArchiveSnapshots implements AutoCloseable {
  private final Deque<Archive> archives = new ArrayDeque<>();
  private final List<ArchiveSnapshot> snapshots = new ArrayList<>();
  private final List<FetchCounts> before = new ArrayList<>();

  public ArchiveSnapshots(List<ArchiveLocation> locations) throws IOException {
    boolean done = false;
    try {
      for (ArchiveLocation location : locations) {
        Archive archive = ArchiveOption.open(location);
        archives.push(archive);
        ArchiveSnapshot snapshot = archive.snapshot();
        snapshots.add(snapshot);
        before.add(snapshot.fetched());
      }
      done = true;
    } finally {
      if (!done) {
        close();
      }
    }
  }

  public List<ArchiveSnapshot> all() {
    return snapshots;
  }

  /** The data fetched so far, for people; empty if all archives are local. */
  public List<String> fetched() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < snapshots.size(); i++) {
      ArchiveSnapshot snapshot = snapshots.get(i);
      if (!snapshot.location().isLocal()) {
        FetchCounts counts = snapshot.fetched().since(before.get(i));
        lines.add(
            String.format(
                "from %s: %d ranges with %d bytes were fetched, %d files were in the cache%s",
                snapshot.location(),
                counts.fetches(),
                counts.bytes(),
                counts.hits(),
                counts.damaged() == 0 ? "" : ", " + counts.damaged() + " of it damaged"));
      }
    }
    return lines;
  }

  @Override
  public void close() {
    snapshots.forEach(ArchiveSnapshot::close);
    archives.forEach(Archive::close);
  }
}
