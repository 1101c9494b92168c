package org.flowmon.archive.lease;

import java.io.IOException;
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
 */
final class LockedFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LockedFile.class);
  private static final String PROPERTY = "flowmon.locked.";

  private final Path file;
  private final FileChannel channel;

  private LockedFile(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  private static String property(Path file) {
    return PROPERTY + file; // of a real path, so that each file has one name
  }

  /** What this process last {@link #publish}ed of a file; null where it has not locked it. */
  static String published(Path file) {
    return System.getProperty(property(file));
  }

  /**
   * Locks a file, which is made where there is none.
   *
   * @return null where it is locked already, by this process or another
   */
  static LockedFile tryLock(Path file) throws IOException {
    if (System.getProperties().putIfAbsent(property(file), "") != null) {
      return null;
    }
    LockedFile locked = null;
    try {
      locked = lock(file);
      return locked;
    } finally {
      if (locked == null) {
        System.clearProperty(property(file));
      }
    }
  }

  private static LockedFile lock(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    boolean done = false;
    try {
      // Who finds it before it is locked may take it for a dead one and delete it.
      done = channel.tryLock() != null && Files.exists(file);
      return done ? new LockedFile(file, channel) : null;
    } finally {
      if (!done) {
        channel.close();
      }
    }
  }

  /**
   * Whether nobody holds a file that some process locked; it is deleted then.
   *
   * <p>Opened for reading only, so that whoever may read it can tell, and never made.
   */
  static boolean deleteIfDead(Path file) throws IOException {
    if (System.getProperties().putIfAbsent(property(file), "") != null) {
      return false;
    }
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      if (channel.tryLock(0, Long.MAX_VALUE, true) == null) {
        return false;
      }
      try {
        Files.deleteIfExists(file);
      } catch (AccessDeniedException e) {
        LOG.debug("a dead lease of another user stays: {}", file, e);
      }
      return true;
    } catch (NoSuchFileException e) {
      return true; // given back since it was listed
    } finally {
      System.clearProperty(property(file));
    }
  }

  FileChannel channel() {
    return channel;
  }

  /** Tells the rest of this process what stands in the file. */
  void publish(String content) {
    System.setProperty(property(file), content);
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
      channel.close();
    } finally {
      System.clearProperty(property(file));
    }
  }
}
