package org.flowmon.archive;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.store.ArchiveStore;
import org.flowmon.archive.store.HeldFolder;
import org.jspecify.annotations.Nullable;

/**
 * The cache of this process's open segments. Closes the least recently used first, never a leased
 * one. No general cache knows leases, nor closes one more entry when the store asks for room.
 */
final class OpenSegments implements AutoCloseable {
  /** A segment may be open twice: with its checksums verified and without. */
  private record Key(String id, boolean verified) {}

  private static final String UNLEASED =
      "; without a lease another process may have merged it away: retry";

  private final ArchiveStore store;
  private final int maxIdle;
  private final BooleanSupplier leased;
  // In the order of use, oldest first.
  private final Map<Key, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
  private boolean closed;

  /** Creates an empty cache; {@code leased}: do files stay as long as a snapshot names them? */
  OpenSegments(ArchiveStore store, int maxIdle, BooleanSupplier leased) {
    this.leased = leased;
    this.store = store;
    this.maxIdle = maxIdle;
    store.onLackOfRoom(this::closeIdle);
  }

  /** Closes the idle segment that was used longest ago; false if there is none. */
  private synchronized boolean closeIdle() {
    for (Iterator<Entry> all = entries.values().iterator(); all.hasNext(); ) {
      Entry entry = all.next();
      if (entry.leases == 0) {
        entry.closeFiles();
        all.remove();
        return true;
      }
    }
    return false;
  }

  /** Opens a segment whose first row visible to the caller is {@code firstRow}. */
  SegmentLease lease(SealedSegment segment, boolean verifyChecksums, int firstRow)
      throws IOException {
    Entry entry;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException(
            "the archive is closed: " + store.describe(Archive.SEGMENTS));
      }
      entry =
          entries.computeIfAbsent(
              new Key(segment.id(), verifyChecksums), key -> new Entry(segment, verifyChecksums));
      entry.leases++;
    }
    try {
      // Outside the lock: opening one segment does not hold up others.
      return new SegmentLease(entry, entry.reader(), firstRow);
    } catch (IOException | RuntimeException e) {
      entry.release();
      throw e;
    }
  }

  private synchronized void release(Entry entry) {
    entry.leases--;
    evict();
  }

  private void evict() {
    int over = closed ? entries.size() : entries.size() - maxIdle;
    for (Iterator<Entry> all = entries.values().iterator(); over > 0 && all.hasNext(); ) {
      Entry entry = all.next();
      if (entry.leases == 0) {
        entry.closeFiles();
        all.remove();
        over--;
      }
    }
  }

  /** Closes a replaced segment once nobody reads it. */
  synchronized void forget(String id) {
    for (boolean verified : new boolean[] {true, false}) {
      Entry entry = entries.get(new Key(id, verified));
      if (entry != null && entry.leases == 0) {
        entry.closeFiles();
        entries.remove(new Key(id, verified));
      }
    }
  }

  synchronized int size() {
    return entries.size();
  }

  /** Closes segments that no lease holds; the others are closed with their last lease. */
  @Override
  public synchronized void close() {
    closed = true;
    evict();
  }

  /** An open file in its held folder. */
  private record OpenFile<T>(T opened, HeldFolder folder) {}

  private interface Opening<T> {
    T open(Path folder) throws IOException;
  }

  /** Opens a file; gives its folder back if that fails. */
  private static <T> OpenFile<T> open(HeldFolder held, Opening<T> opening) throws IOException {
    try {
      return new OpenFile<>(opening.open(held.folder()), held);
    } catch (IOException | RuntimeException | Error e) {
      held.close();
      throw e;
    }
  }

  /** One open segment. */
  final class Entry {
    private final SealedSegment segment;
    private final boolean verifyChecksums;
    private int leases; // guarded by the cache, all else by this
    private @Nullable OpenFile<SegmentReader> reader;
    private @Nullable OpenFile<SegmentIndex> index;
    private @Nullable String indexProblem;
    private @Nullable String rollupProblem;

    Entry(SealedSegment segment, boolean verifyChecksums) {
      this.segment = segment;
      this.verifyChecksums = verifyChecksums;
    }

    synchronized SegmentReader reader() throws IOException {
      if (reader == null) {
        String name = Archive.SEGMENTS + "/" + segment.fileName();
        try {
          reader =
              open(
                  store.hold(name, segment.segmentFile()),
                  folder -> SegmentReader.open(folder, segment, verifyChecksums));
        } catch (NoSuchFileException e) {
          throw new SegmentCorruptException(
              store.describe(name),
              "file",
              String.format(
                  "missing, expected %s bytes%s",
                  segment.segmentFile().length(), leased.getAsBoolean() ? "" : UNLEASED),
              e);
        }
      }
      return reader.opened();
    }

    /** The sidecar; null if missing or damaged (remembered). Throws if unreadable this time. */
    synchronized @Nullable SegmentIndex index() throws IOException {
      if (index == null && indexProblem == null) {
        String name = Archive.SEGMENTS + "/" + segment.indexFileName();
        try {
          index =
              open(
                  store.hold(name, segment.indexFile()),
                  folder -> segment.openIndex(folder, verifyChecksums));
        } catch (NoSuchFileException e) {
          indexProblem = store.describe(name) + ": file: missing";
        } catch (SegmentCorruptException e) {
          indexProblem = String.valueOf(e.getMessage());
        }
      }
      return index == null || indexProblem != null ? null : index.opened();
    }

    synchronized @Nullable String indexProblem() {
      return indexProblem;
    }

    synchronized void indexFailed(String problem) {
      // The index itself stays open until the entry is closed: another lease may be reading it.
      indexProblem = problem;
    }

    synchronized @Nullable String rollupProblem() {
      return rollupProblem;
    }

    synchronized void rollupFailed(String problem) {
      rollupProblem = problem;
    }

    synchronized void requireWhole() {
      if (reader != null) {
        reader.opened().requireWhole();
      }
      if (index != null) {
        index.opened().requireWhole();
      }
    }

    void release() {
      OpenSegments.this.release(this);
      store.onIdle();
    }

    synchronized void closeFiles() {
      OpenFile<SegmentReader> rows = reader;
      if (rows != null) {
        reader = null;
        rows.opened().release();
        rows.folder().close();
      }
      OpenFile<SegmentIndex> sidecar = index;
      if (sidecar != null) {
        index = null;
        sidecar.opened().release();
        sidecar.folder().close();
      }
    }
  }
}
