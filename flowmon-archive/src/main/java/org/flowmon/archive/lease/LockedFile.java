package org.flowmon.archive.lease;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file that this process has locked; the system unlocks it when the process ends, however it
 * ends.
 *
 * <p>POSIX gives a lock back when <em>any</em> descriptor of the file is closed in the process, so
 * nobody in it may even read a file that it has locked, in whatever class loader. Therefore each is
 * announced as a system property, which all class loaders share, before the file is made; the
 * property's value stands for the file's content.
 *
 * <p>It is written through a {@link RandomAccessFile}. A {@link FileChannel} closes, and unlocks,
 * when a thread that uses it is interrupted. A mapped page of a disk without room has no block to
 * go to, and writing there fails as a fault of memory, not as an error of the disk.
 */
final class LockedFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LockedFile.class);
  private static final String PROPERTY = "flowmon.locked.";

  /** What is {@link #published} while a thread looks whether another process's file is dead. */
  static final String PROBED = "probed";

  private final Path file;
  private final RandomAccessFile content;

  /** How a file is opened to be locked and written; tests let writes fail. */
  interface Opening {
    Opening DEFAULT = file -> new RandomAccessFile(file, "rw");

    RandomAccessFile open(File file) throws IOException;
  }

  private LockedFile(Path file, RandomAccessFile content) {
    this.file = file;
    this.content = content;
  }

  private static String property(Path file) {
    return PROPERTY + file; // of a real path, so that each file has one name
  }

  /** What this process last {@link #publish}ed of a file; null if it has not locked it. */
  static String published(Path file) {
    return System.getProperty(property(file));
  }

  /**
   * Locks a file, which is made if there is none.
   *
   * @return null if it is locked already, by this process or another
   */
  static LockedFile tryLock(Path file) throws IOException {
    return tryLock(file, Opening.DEFAULT);
  }

  /** As above, of a file that is opened in a way of its own. */
  static LockedFile tryLock(Path file, Opening opening) throws IOException {
    if (System.getProperties().putIfAbsent(property(file), "") != null) {
      return null;
    }
    LockedFile locked = null;
    try {
      locked = lock(file, opening);
      return locked;
    } finally {
      if (locked == null) {
        System.clearProperty(property(file));
      }
    }
  }

  private static LockedFile lock(Path file, Opening opening) throws IOException {
    RandomAccessFile content = opening.open(file.toFile());
    boolean done = false;
    try {
      // Who finds it before it is locked may take it for a dead one and delete it.
      done = content.getChannel().tryLock() != null && Files.exists(file);
      return done ? new LockedFile(file, content) : null;
    } finally {
      if (!done) {
        content.close();
      }
    }
  }

  /**
   * Whether nobody holds a file that some process locked; it is deleted then.
   *
   * <p>Opened for reading only, so that whoever may read it can tell, and never made.
   */
  static boolean deleteIfDead(Path file) throws IOException {
    return isDead(file, true);
  }

  /** As {@link #deleteIfDead}, but the file stays. */
  static boolean isDead(Path file) throws IOException {
    return isDead(file, false);
  }

  private static boolean isDead(Path file, boolean delete) throws IOException {
    if (System.getProperties().putIfAbsent(property(file), PROBED) != null) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (channel.tryLock(0, Long.MAX_VALUE, true) == null) {
        return false;
      }
      if (delete) {
        deleteDead(file);
      }
      return true;
    } catch (NoSuchFileException e) {
      return true; // given back since it was listed
    } finally {
      System.clearProperty(property(file));
    }
  }

  private static void deleteDead(Path file) throws IOException {
    try {
      Files.deleteIfExists(file);
    } catch (AccessDeniedException e) {
      LOG.debug("a dead lease of another user stays: {}", file, e);
    }
  }

  /** Writes bytes at a place of the file, in one call of the system. */
  void write(long position, byte[] bytes) throws IOException {
    content.seek(position);
    content.write(bytes);
  }

  /** Cuts the file. */
  void truncate(long length) throws IOException {
    content.setLength(length);
  }

  /** Tells the rest of this process what stands in the file. */
  void publish(String content) {
    System.setProperty(property(file), content);
  }

  @Override
  public String toString() {
    return file.toString();
  }

  /** Deletes the file and unlocks it. */
  void delete() throws IOException {
    try (this) {
      Files.deleteIfExists(file);
    }
  }

  @Override
  public void close() throws IOException {
    try {
      content.close();
    } finally {
      System.clearProperty(property(file));
    }
  }
}
