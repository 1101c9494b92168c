package org.flowmon.archive;

/**
 * How this process uses an archive; not stored. The manifest gets a snapshot every {@code
 * snapshotEvery} commits; opening reads one and at most about so many commits. {@code
 * maxOpenSegments} (two mapped files each) stay open when no query reads them.
 */
public record ArchiveOptions(int snapshotEvery, int maxOpenSegments) {
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
