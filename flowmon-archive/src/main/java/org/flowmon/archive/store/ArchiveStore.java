package org.flowmon.archive.store;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.region.FileIdentity;

/**
 * Where the files of an archive lie; everything that an archive reads or writes goes through here.
 * Names are relative, with {@code /}. Safe for many threads and processes.
 *
 * <p>Files are of two kinds. The small ones of the manifest are written and read as bytes. Large
 * ones are written by others into {@link #writeFolder}, {@link #publish}ed, never changed
 * afterwards, and read from this host's disk while they are {@link #hold held}: a local store has
 * them there, another one brings them.
 */
public interface ArchiveStore extends AutoCloseable {
  /** Begins the names of files that are being written. */
  String TEMPORARY_PREFIX = ".tmp-";

  /**
   * Writes a file, whole and durably, if there is none of this name.
   *
   * @return false if there is one, which is left as it is
   */
  boolean putIfAbsent(String name, byte[] bytes) throws IOException;

  /**
   * Makes what a folder shows durable. What another process puts is seen before that one has made
   * it so, and it may be killed in between: whoever acknowledges such a file, or deletes others
   * because of it, calls this first.
   */
  void settle(String folder) throws IOException;

  /**
   * Writes a file whole in place of what was there. Where the machine stops soon after it, the file
   * may be what it was before.
   */
  void replace(String name, byte[] bytes) throws IOException;

  /**
   * All bytes of a file, null if there is none.
   *
   * @throws IOException if it cannot be read or is larger than {@code maxBytes}
   */
  byte[] read(String name, long maxBytes) throws IOException;

  boolean exists(String name) throws IOException;

  /** Bytes of a file, −1 if there is none. */
  long length(String name) throws IOException;

  /** The files directly within a folder, by name; empty if there is no such folder. */
  List<StoredFile> list(String folder) throws IOException;

  /** Deletes a file; false if it is known that there was none. */
  boolean delete(String name) throws IOException;

  /**
   * The directory of this host if files of a folder are written before they are {@link
   * #publish}ed; of a local store it is the folder itself, which whoever makes an archive makes.
   */
  Path writeFolder(String folder) throws IOException;

  /**
   * Makes a file that is whole and synced in {@link #writeFolder} part of the store, durably. Its
   * name is new. If this fails, the file may be there all the same.
   */
  void publish(String name) throws IOException;

  /**
   * A published file on this host's disk, until it is closed.
   *
   * @param identity what it must be; a local file is checked by its reader
   * @throws java.nio.file.NoSuchFileException if there is none
   * @throws org.flowmon.archive.region.SegmentCorruptException if the store's is another
   */
  HeldFolder hold(String name, FileIdentity identity) throws IOException;

  /**
   * Files as the store has them now, unchecked and not from a cache, until it is closed; those that
   * are not there are left out.
   */
  HeldFolder asStored(List<String> names) throws IOException;

  /** The directory in which processes of this host keep leases and locks on this archive. */
  Path hostFolder() throws IOException;

  /**
   * How long readers may be unseen by the leases of {@link #hostFolder}: what was taken away stays
   * for at least so long. Zero if leases show all.
   */
  Duration grace();

  /**
   * Makes sure that files can be written here and that no commit can replace another.
   *
   * @throws IOException naming the store and why not
   */
  void requireCommits() throws IOException;

  /**
   * Names who may let files go that are held and not in use.
   *
   * @param letGo lets one go; false if there is none. Called under no lock of the store
   */
  void onLackOfRoom(BooleanSupplier letGo);

  /** Told when files are held on that are no longer in use; called under no lock of the caller. */
  void onIdle();

  /** What was fetched from elsewhere so far; zeros of a local store. */
  FetchCounts fetched();

  /** If a file is, for messages and other programs: an absolute path or a URL. */
  String describe(String name);

  @Override
  void close();
}
