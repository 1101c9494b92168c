package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Files elsewhere than on this host, each written whole and never changed but by {@link #put}: what
 * a {@link RemoteArchiveStore} needs of a service. Names are relative, with {@code /}. Safe for
 * many threads. Passing errors are tried again here, boundedly; what still fails is an {@link
 * IOException} that names the file.
 */
public interface ObjectStore extends AutoCloseable {
  /**
   * Writes a file, whole and durably, if there is none of this name.
   *
   * @return false if there is one, which is left as it is. If an answer was lost on the way
   *     the one may be what this call wrote
   */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException;

  /** Writes a file whole, in place of what was there. */
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
   * Bytes of a file from an offset; all that are asked for.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws IOException if it cannot be read or ends before
   */
  byte[] readRange(String name, long offset, int length) throws IOException;

  /** Bytes of a file, −1 if there is none. */
  long length(String name) throws IOException;

  /** The files directly within a folder, by name; empty if there is no such folder. */
  List<StoredFile> list(String folder) throws IOException;

  /** Deletes a file; false if it is known that there was none. */
  boolean delete(String name) throws IOException;

  /** URL of a file, for messages and other programs. */
  String describe(String name);

  @Override
  void close();
}
