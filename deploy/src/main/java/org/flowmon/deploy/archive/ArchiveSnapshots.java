package org.flowmon.deploy.archive;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.Archives;
import org.flowmon.archive.ArchivesSnapshot;
import org.flowmon.archive.manifest.HistoryReach;
import org.flowmon.archive.store.ArchiveLocation;
import org.flowmon.archive.store.FetchCounts;
import org.flowmon.deploy.command.UsageException;

/** The newest snapshots of a command's archives, which are read as one. */
public final class ArchiveSnapshots implements AutoCloseable {
  private final Archives archives;
  private ArchivesSnapshot snapshot;
  private List<FetchCounts> before;

  /** Of existing archives; {@link UsageException} if one is named twice. */
  public ArchiveSnapshots(List<ArchiveLocation> locations) throws IOException {
    ArchiveOption.requireArchives(locations);
    archives = Archives.open(locations);
    boolean done = false;
    try {
      snapshot = archives.snapshot();
      before = fetchedSoFar(snapshot);
      done = true;
    } catch (IllegalArgumentException e) {
      throw new UsageException("--archive: " + e.getMessage());
    } finally {
      if (!done) {
        archives.close();
      }
    }
  }

  private static List<FetchCounts> fetchedSoFar(ArchivesSnapshot of) {
    return of.all().stream().map(ArchiveSnapshot::fetched).toList();
  }

  /** Takes the newest snapshots in place of these. */
  public void refresh() throws IOException {
    ArchivesSnapshot newest = archives.snapshot();
    snapshot.close();
    snapshot = newest;
    before = fetchedSoFar(newest);
  }

  public List<ArchiveSnapshot> all() {
    return snapshot.all();
  }

  public HistoryReach reach() {
    return snapshot.reach();
  }

  /**
   * The data fetched since the snapshots were taken, for people; empty if all archives are local.
   */
  public List<String> fetched() {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < all().size(); i++) {
      ArchiveSnapshot one = all().get(i);
      if (!one.location().isLocal()) {
        FetchCounts counts = one.fetched().since(before.get(i));
        lines.add(
            String.format(
                "from %s: %d ranges with %d bytes were fetched, %d files were in the cache%s",
                one.location(),
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
    snapshot.close();
    archives.close();
  }
}
