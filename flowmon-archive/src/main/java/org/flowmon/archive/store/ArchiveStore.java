package org.flowmon.archive.store;

import java.io.IOException;
import java.util.List;

/**
 * Where the small files of an archive lie. Names are relative, with {@code /}. Safe for many
 * threads and processes.
 */
public interface ArchiveStore {
  /**
   * Writes a file, whole and durably, where there is none of this name.
   *
   * @return false where there is one, which is left as it is
   */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException;

  /** Writes a file whole in place of what was there; it may be lost when the machine stops. */
  void replace(String name, byte[] bytes) throws IOException;

  /**
   * All bytes of a file, null where there is none.
   *
   * @throws IOException where it cannot be read or is larger than {@code maxBytes}
   */
  byte[] read(String name, long maxBytes) throws IOException;

  boolean exists(String name);

  /** The files directly within a folder, by name; empty where there is no such folder. */
  List<StoredFile> list(String folder) throws IOException;

  /** Deletes a file; false where there was none. */
  boolean delete(String name) throws IOException;

  /** Where a file is, for messages. */
  String describe(String name);
}
