package org.flowmon.archive;

/**
 * How this process uses an archive; none of it is stored.
 *
 * @param snapshotEvery commits from one snapshot of the manifest to the next; opening reads one
 *     snapshot and at most about so many commits
 * @param maxOpenSegments segments kept open (two mapped files each) when no query reads them
 */
public record ArchiveOptions(int snapshotEvery, int maxOpenSegments) {
  /** 64 commits to a snapshot, 1024 segments kept open. */
  public static final ArchiveOptions DEFAULTS = new ArchiveOptions(64, 1024);

  public ArchiveOptions {
    if (snapshotEvery < 1 || maxOpenSegments < 1) {
      throw new IllegalArgumentException(
          String.format(
              "snapshotEvery %s, maxOpenSegments %s: expected at least 1",
              snapshotEvery, maxOpenSegments));
    }
  }
}
