package org.flowmon.archive.lease;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.TreeMap;
import org.flowmon.archive.log.LazyLogger;
import org.jspecify.annotations.Nullable;

/**
 * The lease of one process: the commits it may still read and the segments it may still commit.
 * Removed files are deleted only when no live lease holds an earlier commit, uncommitted segments
 * only when none owns them ({@code docs/format/manifest.md}, Leases).
 *
 * <p>A reader calls {@link #hold} with any number up to the newest commit, <em>then</em> reads the
 * manifest, and {@link #move}s on to the commit it found. Safe for many threads.
 */
public final class ReaderLease implements AutoCloseable {
  public static final String FOLDER = "leases";

  static final long NOTHING = Long.MAX_VALUE;

  private static final LazyLogger LOG = new LazyLogger(ReaderLease.class);

  private final Path archive;
  private final LockedFile.Opening opening;
  private final LeaseWarnings warnings;
  // Number of readers by held commit.
  private final TreeMap<Long, Integer> held = new TreeMap<>();
  // With the file of the lease; null while none can be made.
  private @Nullable OwnedSegments owned;
  private boolean protects;
  private long written; // the number in the file; 0 if it has no content

  private ReaderLease(Path archive, LockedFile.Opening opening, LeaseWarnings warnings) {
    this.archive = archive;
    this.opening = opening;
    this.warnings = warnings;
  }

  /**
   * Makes a lease that holds commit 0, and so everything, until it is moved on. If no file can be
   * made (a read-only folder, a full disk) it {@link #protects} nothing, which is logged once for
   * each archive.
   */
  public static ReaderLease take(Path archive) {
    return take(archive, LockedFile.Opening.DEFAULT);
  }

  static ReaderLease take(Path archive, LockedFile.Opening opening) {
    return take(archive, opening, LeaseWarnings.OF_PROCESS);
  }

  static ReaderLease take(Path archive, LockedFile.Opening opening, LeaseWarnings warnings) {
    ReaderLease lease = new ReaderLease(archive, opening, warnings);
    lease.hold(0);
    return lease;
  }

  /** Whether other processes see everything that is held. */
  public synchronized boolean protects() {
    return protects;
  }

  /**
   * Keeps the files of this commit's state and of later ones. If nothing else is held, a lease that
   * could not be made before is tried again.
   */
  public synchronized void hold(long number) {
    if (!protects && held.isEmpty()) {
      protects = makeFile() != null;
    }
    held.merge(number, 1, Integer::sum);
    update();
  }

  private @Nullable OwnedSegments makeFile() {
    if (owned == null) {
      try {
        Path folder = Files.createDirectories(archive.toRealPath().resolve(FOLDER));
        LockedFile file;
        do {
          file = LockedFile.tryLock(folder.resolve(LeaseName.ofNew()), opening);
        } while (file == null);
        owned = new OwnedSegments(file);
        written = 0;
      } catch (IOException e) {
        warnings.notMade(archive, e);
      }
    }
    return owned;
  }

  public synchronized void release(long number) {
    held.compute(number, (key, count) -> count == null || count == 1 ? null : count - 1);
    update();
  }

  /** Holds a later commit in place of an earlier one. */
  public synchronized void move(long from, long to) {
    if (from != to) {
      held.merge(to, 1, Integer::sum);
      release(from);
    }
  }

  /**
   * Declares that this process may still commit segments, before their first file is made or looked
   * for. Each call is undone by one of {@link #disown}. If it throws, nothing is owned.
   */
  public synchronized void own(Collection<String> ids) throws IOException {
    OwnedSegments made = makeFile();
    if (made == null) {
      throw new AccessDeniedException(
          archive.resolve(FOLDER).toString(),
          null,
          "no lease could be created, and without one nothing is sealed or committed; give this"
              + " user write access to the folder, and check that its disk has room");
    }
    List<String> done = new ArrayList<>();
    try {
      for (String id : ids) {
        made.own(id);
        done.add(id);
      }
    } catch (IOException e) {
      disown(done);
      throw e;
    }
  }

  /** Declares that segments were committed, or never will be. */
  public synchronized void disown(Collection<String> ids) {
    OwnedSegments made = owned;
    if (made == null) {
      return;
    }
    for (String id : ids) {
      try {
        made.disown(id);
      } catch (IOException e) {
        LOG.get().debug("{} stays owned until this process ends", id, e);
      }
    }
  }

  private void update() {
    if (owned == null) {
      return;
    }
    long number = held.isEmpty() ? NOTHING : held.firstKey();
    LockedFile file = owned.file();
    file.publish(Long.toString(number));
    if (number == written) {
      return;
    }
    try {
      // Written before anything is read that it protects.
      file.write(0, littleEndian(number));
      written = number;
    } catch (IOException e) {
      // Too small a number in the file only keeps more; with too large a one the reader is not
      // protected. It is written with the next change.
      protects &= number >= written;
      warnings.notWritten(archive, e);
    }
  }

  private static byte[] littleEndian(long number) {
    return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN).putLong(number).array();
  }

  /**
   * The smallest number that a live lease holds, {@link Long#MAX_VALUE} if none does; 0 if one
   * cannot be read. Deletes dead leases.
   */
  public static long smallest(Path archive) throws IOException {
    long smallest = NOTHING;
    try (DirectoryStream<Path> files =
        Files.newDirectoryStream(archive.toRealPath().resolve(FOLDER), "*" + LeaseName.SUFFIX)) {
      for (Path file : files) {
        smallest = Math.min(smallest, numberOrAll(file));
      }
    } catch (NoSuchFileException | NotDirectoryException e) {
      return smallest;
    }
    return smallest;
  }

  /** A lease that this user cannot read may hold anything. */
  private static long numberOrAll(Path file) throws IOException {
    try {
      return number(file);
    } catch (FileSystemException e) {
      LOG.get()
          .warn(
              "no file is deleted while this lease cannot be read: {}. Give its user umask 027 or"
                  + " 022, or delete it if no process reads the archive",
              file,
              e);
      return 0;
    }
  }

  private static long number(Path file) throws IOException {
    String ours = LockedFile.published(file);
    if (ours != null) {
      return ours.isEmpty() || ours.equals(LockedFile.PROBED) ? 0 : Long.parseLong(ours);
    }
    if (LeaseName.of(file).isForeign()) {
      // Its lock cannot be seen from here, so its commits may not be deleted.
      return LockedFile.isDead(file) ? NOTHING : read(file);
    }
    return LockedFile.deleteIfDead(file) ? NOTHING : read(file);
  }

  private static long read(Path file) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      while (bytes.hasRemaining()) {
        if (channel.read(bytes) < 0) {
          return 0; // made, not written yet
        }
      }
    } catch (NoSuchFileException e) {
      return NOTHING; // released meanwhile
    }
    return Math.max(0, bytes.getLong(0));
  }

  @Override
  public synchronized void close() {
    OwnedSegments made = owned;
    if (made == null) {
      return;
    }
    made.forgetAll();
    try {
      made.file().delete();
    } catch (IOException e) {
      LOG.get().warn("a lease was not given back; it ends with this process", e);
    }
    owned = null;
    protects = false;
  }
}
