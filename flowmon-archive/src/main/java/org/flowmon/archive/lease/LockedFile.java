package org.flowmon.archive.lease;

import java.io.File;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import org.flowmon.archive.log.LazyLogger;
import org.jspecify.annotations.Nullable;

/**
 * A file locked by this process; the system unlocks it when the process ends, however it ends.
 *
 * <p>POSIX releases a lock when <em>any</em> descriptor of the file is closed in the process, so no
 * code in it, in any class loader, may even read the file. Therefore each is announced as a system
 * property, which all class loaders share, before it is made; the property's value stands for the
 * file's content.
 *
 * <p>It is written through a {@link RandomAccessFile}. A {@link FileChannel} closes, and unlocks,
 * when a thread that uses it is interrupted. A mapped page needs a free block: on a full disk,
 * writing to it is a memory fault, not an I/O error.
 */
final class LockedFile implements AutoCloseable {
  private static final LazyLogger LOG = new LazyLogger(LockedFile.class);
  private static final String PROPERTY = "flowmon.locked.";
  private static final long WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  /** The {@link #published} value while a thread checks whether another process's file is dead. */
  static final String PROBED = "probed";

  private final Path file;
  private final RandomAccessFile content;

  /** Opens a file to be locked and written; tests let writes fail. */
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

  /** The value last {@link #publish}ed for a file; null if this process has not locked it. */
  static @Nullable String published(Path file) {
    return System.getProperty(property(file));
  }

  /** Locks a file, creating it if missing; null if this process or another has locked it. */
  static @Nullable LockedFile tryLock(Path file) throws IOException {
    return tryLock(file, Opening.DEFAULT);
  }

  static @Nullable LockedFile tryLock(Path file, Opening opening) throws IOException {
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

  /** Waits for a lock; throws if another, which {@code does} something, holds it for a minute. */
  static LockedFile lock(Path file, String does) throws IOException {
    for (long begun = System.nanoTime(); System.nanoTime() - begun < WAIT_NANOS; ) {
      LockedFile locked = tryLock(file);
      if (locked != null) {
        return locked;
      }
      pause();
    }
    throw new IOException(
        file + " has been locked for a minute by a process that " + does + "; wait for its end");
  }

  static void pause() throws InterruptedIOException {
    try {
      Thread.sleep(2);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while another process held a lock");
    }
  }

  private static @Nullable LockedFile lock(Path file, Opening opening) throws IOException {
    RandomAccessFile content = opening.open(file.toFile());
    boolean done = false;
    try {
      // A process that finds it before it is locked may take it for dead and delete it.
      done = content.getChannel().tryLock() != null && Files.exists(file);
      return done ? new LockedFile(file, content) : null;
    } finally {
      if (!done) {
        content.close();
      }
    }
  }

  /**
   * Whether no process holds a file that was locked; if so it is deleted. Never creates the file;
   * opens it for reading only, so read permission is enough.
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
      return true; // deleted since it was listed
    } finally {
      System.clearProperty(property(file));
    }
  }

  private static void deleteDead(Path file) throws IOException {
    try {
      Files.deleteIfExists(file);
    } catch (AccessDeniedException e) {
      LOG.get().debug("a lease of another user's dead process cannot be deleted: {}", file, e);
    }
  }

  /** Writes bytes at a position of the file, in one system call. */
  void write(long position, byte[] bytes) throws IOException {
    content.seek(position);
    content.write(bytes);
  }

  void truncate(long length) throws IOException {
    content.setLength(length);
  }

  void publish(String content) {
    System.setProperty(property(file), content);
  }

  @Override
  public String toString() {
    return file.toString();
  }

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
