package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * A service that a {@link RemoteArchiveStore} stores files in. Each is written as a whole and never
 * changed except by {@link #put}. Names are relative, with {@code /}. Safe for many threads.
 * Temporary errors are retried here a bounded number of times; a lasting one is an {@link
 * IOException} that names the file.
 */
public interface ObjectStore extends AutoCloseable {
  /**
   * Writes a file, whole and durably, if there is none of this name.
   *
   * @return false if there is one, which is left unchanged. If an answer was lost on the way this
   *     call may have written it
   */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException;

  /** Writes or replaces a file as a whole. */
  void put(String name, byte[] bytes) throws IOException;

  /** As {@link #put(String, byte[])}, with the bytes of a local file. */
  void put(String name, Path file) throws IOException;

  /**
   * All bytes of a file, null if there is none.
   *
   * @throws IOException if it cannot be read or is larger than {@code maxBytes}
   */
  byte[] read(String name, long maxBytes) throws IOException;

  /**
   * Bytes of a file from an offset, exactly {@code length}.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws IOException if it cannot be read or ends before
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
