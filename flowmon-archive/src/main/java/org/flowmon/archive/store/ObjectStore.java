package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A service that a {@link RemoteArchiveStore} stores files in: whole, and never changed except by
 * {@link #put}. Names are relative, with {@code /}. Safe for many threads. Retries temporary errors
 * a bounded number of times; a lasting one is an {@link IOException} that names the file.
 */
public interface ObjectStore extends AutoCloseable {
  /**
   * Writes a file, whole and durably; false, with no change, if there is one of this name. If an
   * answer was lost on the way this call may have written it.
   */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException;

  void put(String name, byte[] bytes) throws IOException;

  void put(String name, Path file) throws IOException;

  /** All bytes of a file, null if there is none. Throws if larger than {@code maxBytes}. */
  byte @Nullable [] read(String name, long maxBytes) throws IOException;

  /**
   * Exactly {@code length} bytes from an offset. Throws {@link java.nio.file.NoSuchFileException}
   * if there is no file, {@link IOException} if it ends before.
   */
  byte[] readRange(String name, long offset, int length) throws IOException;

  /** Bytes of a file, −1 if there is none. */
  long length(String name) throws IOException;

  /** The files directly within a folder, by name; empty if there is no such folder. */
  List<StoredFile> list(String folder) throws IOException;

  /** Deletes a file; false if it certainly did not exist. */
  boolean delete(String name) throws IOException;

  /** URL of a file, for messages and other programs. */
  String describe(String name);

  @Override
  void close();
}
