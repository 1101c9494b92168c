package org.flowmon.archive;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentReader;

/**
 * The segments that this process has open, least recently used ones closed first: repeated lookups
 * open no file. A segment that a lease holds is never closed.
 */
final class OpenSegments implements AutoCloseable {
  /** A segment may be open twice: with its checksums verified and without. */
  private record Key(String id, boolean verified) {}

  private final Path directory;
  private final int maxIdle;
  private final boolean leased;
  // In the order of use, oldest first.
  private final Map<Key, Entry> entries = new LinkedHashMap<>(64, 0.75f, true);
  private boolean closed;

  /**
   * Nothing open yet.
   *
   * @param leased whether files of segments stay as long as a snapshot names them
   */
  OpenSegments(Path directory, int maxIdle, boolean leased) {
    this.leased = leased;
    this.directory = directory;
    this.maxIdle = maxIdle;
  }

  SegmentLease lease(SealedSegment segment, boolean verifyChecksums) throws IOException {
    Entry entry;
    synchronized (this) {
      if (closed) {
        throw new IllegalStateException("the archive " + directory.getParent() + " is closed");
      }
      entry =
          entries.computeIfAbsent(
              new Key(segment.id(), verifyChecksums), key -> new Entry(segment, verifyChecksums));
      entry.leases++;
    }
    try {
      // Outside of the lock: opening one segment does not hold up others.
      return new SegmentLease(entry, entry.reader());
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

  /** Closes a segment that was replaced once nobody reads it. */
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

  /** Closes what no lease holds; the rest when its last lease is closed. */
  @Override
  public synchronized void close() {
    closed = true;
    evict();
  }

  /** One open segment. */
  final class Entry {
    private final SealedSegment segment;
    private final boolean verifyChecksums;
    private int leases; // guarded by the cache, all else by this
    private SegmentReader reader;
    private SegmentIndex index;
    private String indexProblem;
    private String rollupProblem;

    Entry(SealedSegment segment, boolean verifyChecksums) {
      this.segment = segment;
      this.verifyChecksums = verifyChecksums;
    }

    synchronized SegmentReader reader() throws IOException {
      if (reader == null) {
        try {
          reader = SegmentReader.open(directory, segment, verifyChecksums);
        } catch (NoSuchFileException e) {
          throw new SegmentCorruptException(
              directory.resolve(segment.fileName()),
              "file",
              "missing, expected "
                  + segment.segmentFile().length()
                  + " bytes"
                  + (leased
                      ? ""
                      : "; no lease could be made, so it may have been merged into another: ask"
                          + " again"),
              e);
        }
      }
      return reader;
    }

    synchronized SegmentIndex index() {
      if (index == null && indexProblem == null) {
        try {
          index = segment.openIndex(directory, verifyChecksums);
        } catch (NoSuchFileException e) {
          indexProblem = directory.resolve(segment.indexFileName()) + ": file: missing";
        } catch (IOException | SegmentCorruptException e) {
          indexProblem = String.valueOf(e.getMessage());
        }
      }
      return indexProblem == null ? index : null;
    }

    synchronized String indexProblem() {
      return indexProblem;
    }

    synchronized void indexFailed(String problem) {
      // The index itself stays open until the entry is closed: another lease may be reading it.
      indexProblem = problem;
    }

    synchronized String rollupProblem() {
      return rollupProblem;
    }

    synchronized void rollupFailed(String problem) {
      rollupProblem = problem;
    }

    void release() {
      OpenSegments.this.release(this);
    }

    synchronized void closeFiles() {
      if (reader != null) {
        reader.release();
        reader = null;
      }
      if (index != null) {
        index.release();
        index = null;
      }
    }
  }
}
