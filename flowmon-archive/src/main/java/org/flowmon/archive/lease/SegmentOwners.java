package org.flowmon.archive.lease;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segments that live processes may still commit ({@code docs/format/manifest.md}, Leases).
 *
 * <p>To delete orphans, list the files, <em>then</em> read the owners, then the newest commit. To
 * commit a segment of another process, own it first. Both hold {@link #lock}, so that no file is
 * deleted between its check and its commit.
 *
 * @param complete false if a live process, of an older version, does not list its segments
 * @param foreign whether any may run on another host, and so hold commits that cannot be seen
 */
public record SegmentOwners(Set<String> ids, boolean complete, boolean foreign) {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentOwners.class);
  private static final String LOCK = "owners.lock";
  private static final Duration FORGOTTEN = Duration.ofDays(1);

  public SegmentOwners {
    ids = Set.copyOf(ids);
  }

  /** Held while orphans are found and deleted, or another process's segments taken over. */
  public interface Lock extends AutoCloseable {
    @Override
    void close() throws IOException;
  }

  /** Waits for the lock; throws if another holds it for a minute. */
  public static Lock lock(Path archive) throws IOException {
    Path folder = Files.createDirectories(archive.toRealPath().resolve(ReaderLease.FOLDER));
    return LockedFile.lock(folder.resolve(LOCK), "deletes orphans")::close;
  }

  /** Reads the leases of an archive; dead ones are deleted. */
  public static SegmentOwners of(Path archive) throws IOException {
    Set<String> ids = new HashSet<>();
    boolean complete = true;
    boolean foreign = false;
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(
            archive.toRealPath().resolve(ReaderLease.FOLDER), "*" + LeaseName.SUFFIX)) {
      for (Path file : files) {
        LeaseName name = LeaseName.of(file);
        try {
          if (isOfThisProcess(file)) {
            ids.addAll(OwnedSegments.ofThisProcess(file));
          } else if (!isGone(file, name)) {
            complete &= name.saysOwned();
            foreign |= name.isForeign();
            ids.addAll(OwnedSegments.of(content(file)));
          }
        } catch (NoSuchFileException e) {
          LOG.debug("the lease was given back: {}", file, e);
        } catch (FileSystemException e) {
          LOG.warn("orphans stay while this lease cannot be read: {}", file, e);
          complete = false;
        }
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return new SegmentOwners(Set.of(), true, false);
    }
    return new SegmentOwners(ids, complete, foreign);
  }

  private static boolean isOfThisProcess(Path file) throws IOException {
    String published = LockedFile.published(file);
    while (LockedFile.PROBED.equals(published)) { // another thread checks whether it is dead
      LockedFile.pause();
      published = LockedFile.published(file);
    }
    return published != null;
  }

  /** A lock of another host may not be visible here: then only time tells. */
  private static boolean isGone(Path file, LeaseName name) throws IOException {
    if (!name.isForeign()) {
      return LockedFile.deleteIfDead(file);
    }
    try {
      long modified = Files.getLastModifiedTime(file).toMillis();
      return modified < System.currentTimeMillis() - FORGOTTEN.toMillis()
          && LockedFile.deleteIfDead(file);
    } catch (NoSuchFileException e) {
      return true;
    }
  }

  private static byte[] content(Path file) throws IOException {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return new byte[0]; // released meanwhile
    }
  }
}
