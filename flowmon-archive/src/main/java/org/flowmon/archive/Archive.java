package org.flowmon.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.flowmon.archive.manifest.ArchiveCommit;
import org.flowmon.archive.manifest.CommitResult;

/**
 * An exact history of flows in one directory: {@code segments/}, and {@code manifest/} that says
 * which of them belong to it ({@code docs/archive.md}).
 *
 * <p>Opening one that this process has open already is cheap: both share the manifest's state and
 * the open segments, and the last {@link #close} closes them. Safe for many threads; several
 * processes may read and commit at the same time.
 *
 * <p>What of the manifest is missing or damaged is a {@link
 * org.flowmon.archive.manifest.ManifestCorruptException}.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class Archive implements AutoCloseable {
  private Archive() {}

  /**
   * Makes a new, empty archive; the directory is made where it is missing.
   *
   * @throws java.nio.file.FileAlreadyExistsException where there is an archive
   */
  public static Archive create(Path directory, ArchiveOptions options) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** As {@link #open(Path, ArchiveOptions)} with the defaults. */
  public static Archive open(Path directory) throws IOException {
    return open(directory, ArchiveOptions.DEFAULTS);
  }

  /**
   * Opens an archive.
   *
   * @throws java.nio.file.NoSuchFileException where there is none
   */
  public static Archive open(Path directory, ArchiveOptions options) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** Opens an archive, makes it where there is none; several may do so at the same time. */
  public static Archive openOrCreate(Path directory, ArchiveOptions options) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** Whether a directory holds an archive. */
  public static boolean exists(Path directory) {
    throw new UnsupportedOperationException("not yet");
  }

  /** The archive's directory. */
  public Path directory() {
    throw new UnsupportedOperationException("not yet");
  }

  /** Where segments are sealed before they are committed. */
  public Path segmentsDirectory() {
    throw new UnsupportedOperationException("not yet");
  }

  /** The archive as of its newest commit. Cheap: looks for newer commits, opens no segment. */
  public ArchiveSnapshot snapshot() throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Makes segments part of the archive, durably. When another process commits at the same time,
   * this is checked again against what that one added.
   *
   * <p>Where all positions were committed before, nothing changes and the result says so. Positions
   * that were left out are counted in the result and kept as gaps of the source; a later commit may
   * fill them.
   *
   * @throws org.flowmon.archive.manifest.CommitRefusedException where a part of the positions was
   *     committed before, the file was imported before, or a segment's file is not there
   */
  public CommitResult commit(ArchiveCommit commit) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** The position after the last committed one of a source, −1 where it is unknown. */
  public long committedEnd(String sourceKey) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /** As {@link ArchiveSnapshot#historyThrough()} of the newest commit. */
  public long historyThrough() throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Files that no commit knows: sealed and not committed (yet), or left by a process that died.
   * They are no damage, and no query sees them.
   */
  public List<Path> orphans() throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Deletes orphans that have not been written to for so long.
   *
   * @param olderThan longer than any segment waits for its commit: a job that is down and will
   *     recommit from its checkpoint waits as long as it is down
   * @return what was deleted
   */
  public List<Path> removeOrphans(Duration olderThan) throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  @Override
  public void close() {
    throw new UnsupportedOperationException("not yet");
  }
}
