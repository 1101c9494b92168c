package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.region.FileIdentity;
import org.jspecify.annotations.Nullable;

/**
 * The storage of an archive's files; all reads and writes go through it. Names are relative, with
 * {@code /}. Safe for many threads and processes. The manifest's small files are written and read
 * as bytes. Large ones are written into {@link #writeFolder}, {@link #publish}ed, never changed,
 * and read from this host's disk while {@link #hold held}: a local store has them there, others
 * fetch them.
 */
public interface ArchiveStore extends AutoCloseable {
  String TEMPORARY_PREFIX = ".tmp-";

  /** Writes a file, whole and durably; false, with no change, if there is one of this name. */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException;

  /**
   * Makes a folder's visible content durable: another process may be killed between showing and
   * syncing a file. Call before acknowledging it, or deleting others because of it.
   */
  void settle(String folder) throws IOException;

  /** Replaces a file as a whole. If the machine stops soon after, it may have its old content. */
  void replace(String name, byte[] bytes) throws IOException;

  /** All bytes of a file, null if there is none. Throws if larger than {@code maxBytes}. */
  byte @Nullable [] read(String name, long maxBytes) throws IOException;

  /**
   * Exactly {@code length} bytes of a file from an offset.
   *
   * @throws java.nio.file.NoSuchFileException if there is no file
   * @throws IOException if it ends before
   */
  byte[] readRange(String name, long offset, int length) throws IOException;

  boolean exists(String name) throws IOException;

  /** Bytes of a file, −1 if there is none. */
  long length(String name) throws IOException;

  /** The files directly within a folder, by name; empty if there is no such folder. */
  List<StoredFile> list(String folder) throws IOException;

  /** Deletes a file; false if it certainly did not exist. */
  boolean delete(String name) throws IOException;

  /**
   * This host's directory for a folder's files before they are {@link #publish}ed. For a local
   * store it is the folder itself, which the creator of an archive makes.
   */
  Path writeFolder(String folder) throws IOException;

  /**
   * Makes a complete and synced file of {@link #writeFolder}, of a new name, part of the store,
   * durably. If this fails, the file may still have become part of it.
   */
  void publish(String name) throws IOException;

  /**
   * A published file on this host's disk, held until the result is closed. A local file's identity
   * is checked by its reader.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws org.flowmon.archive.region.SegmentCorruptException if the store's file has another
   *     identity
   */
  HeldFolder hold(String name, FileIdentity identity) throws IOException;

  /** Files as stored, uncached, unchecked, held until the result is closed; no missing ones. */
  HeldFolder asStored(List<String> names) throws IOException;

  /** The directory for leases and locks of this host's processes on this archive. */
  Path hostFolder() throws IOException;

  /** How long removed files stay for readers that leases do not show; zero if they show all. */
  Duration grace();

  /** Throws, naming store and problem, if files cannot be written or commits can replace others. */
  void requireCommits() throws IOException;

  /** Sets what releases an idle held file, false if none; called under no lock of the store. */
  void onLackOfRoom(BooleanSupplier letGo);

  /** Called when held files are no longer in use; under no lock of the caller. */
  void onIdle();

  /** The fetches so far; zeros for a local store. */
  FetchCounts fetched();

  /** The place of a file for messages and other programs: an absolute path or a URL. */
  String describe(String name);

  @Override
  void close();
}
