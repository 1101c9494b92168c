package org.flowmon.archive;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.flowmon.archive.index.SegmentIndex;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.jspecify.annotations.Nullable;

/** An open segment, until {@link #close}. Others may share it: close no reader or index. */
public final class SegmentLease implements AutoCloseable {
  private final OpenSegments.Entry entry;
  private final SegmentReader reader;
  private final int firstRow;
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile @Nullable String unread; // why the sidecar could not be read

  SegmentLease(OpenSegments.Entry entry, SegmentReader reader, int firstRow) {
    this.entry = entry;
    this.reader = reader;
    this.firstRow = firstRow;
  }

  /** As {@link ArchiveSnapshot#firstRow}. */
  public int firstRow() {
    return firstRow;
  }

  /** The segment's rows, including expired ones: see {@link #firstRow}. */
  public SegmentReader rows() {
    return reader;
  }

  /**
   * The sidecar, opened when first asked for; null if missing or damaged ({@link #indexProblem}).
   * If it could not be read this lease does without it, and the next one tries again.
   */
  public @Nullable SegmentIndex index() {
    if (unread == null) {
      try {
        return entry.index();
      } catch (IOException e) {
        unread = String.valueOf(e.getMessage());
      }
    }
    return null;
  }

  /** The sidecar's known problem, null if there is none. */
  public @Nullable String indexProblem() {
    String problem = entry.indexProblem();
    return problem == null ? unread : problem;
  }

  /** Remembers that the sidecar is damaged: it is not used again. */
  public void indexFailed(String problem) {
    entry.indexFailed(problem);
  }

  /** The known problem of the sidecar's sums, null if there is none. */
  public @Nullable String rollupProblem() {
    return entry.rollupProblem();
  }

  /** Remembers that the sidecar's sums are damaged: they are not used again. */
  public void rollupFailed(String problem) {
    entry.rollupFailed(problem);
  }

  /** The warning that rows of the segment were read instead of a sidecar with this problem. */
  public String readInstead(String problem) {
    return problem + ": rows of segment " + reader.sealed().id() + " were read instead";
  }

  /**
   * Gives the segment back, and checks that the bytes read from it were ever written.
   *
   * @throws org.flowmon.archive.region.SegmentCorruptException if one of its files was cut
   *     meanwhile; the segment is given back nevertheless
   */
  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      try {
        entry.requireWhole();
      } finally {
        entry.release();
      }
    }
  }

  /** Closes all; throws the first {@code SegmentCorruptException} of {@link #close}. */
  public static void closeAll(Iterable<SegmentLease> leases) {
    RuntimeException first = null;
    for (SegmentLease lease : leases) {
      try {
        lease.close();
      } catch (RuntimeException e) {
        first = first == null ? e : first;
      }
    }
    if (first != null) {
      throw first;
    }
  }
}
