package org.flowmon.archive;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.CommitRefusedException;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.ImportedFile;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.memory.HeapBudget;
import org.jspecify.annotations.Nullable;

/**
 * Takes the flows of one file into an archive: all of them when {@link #commit} returns, else none.
 * A segment is sorted by time in itself; a longer file is cut in the order of its flows. With
 * several threads segments are sealed while further batches come, which changes no segment's rows.
 * Not thread-safe.
 */
public final class ArchiveImporter implements AutoCloseable {
  public static final int DEFAULT_SEGMENT_ROWS = 1 << 20;

  // A million rows of ordinary flows; with texts a segment has fewer.
  private static final long MAX_SEGMENT_BATCH_BYTES = 192L << 20;

  private final Archive archive;
  private final ImportedFile file;
  private final boolean force;
  private final int segmentRows;
  private final long segmentBytes;
  private final int threads;
  private final @Nullable ExecutorService pool; // null: the thread that adds batches seals
  private final Queue<SegmentWriter> writers = new ConcurrentLinkedQueue<>();
  private final Deque<Future<SealedSegment>> sealing = new ArrayDeque<>();
  private final List<FlowBatch> batches = new ArrayList<>();
  private final List<SealedSegment> sealed = new ArrayList<>();
  private long batchRows;
  private long batchBytes;
  private long rows;
  private boolean done;

  public ArchiveImporter(Archive archive, ImportedFile file, boolean force) throws IOException {
    this(archive, file, force, DEFAULT_SEGMENT_ROWS, 1);
  }

  /**
   * Begins an import.
   *
   * @param force whether to import a file that was imported before
   * @param segmentRows at most; a batch is not cut, so one batch may be more. Fewer if the heap is
   *     small or rows are wide
   * @param threads that seal segments; 1: the one that adds batches. Each takes about 124 bytes of
   *     heap a row
   * @throws CommitRefusedException if the file was imported before
   */
  public ArchiveImporter(
      Archive archive, ImportedFile file, boolean force, int segmentRows, int threads)
      throws IOException {
    if (threads < 1) {
      throw new IllegalArgumentException(threads + " threads");
    }
    if (segmentRows < 1 || segmentRows > SegmentWriter.MAX_ROWS - FlowBatch.MAX_ROWS) {
      throw new IllegalArgumentException("segments of " + segmentRows + " rows");
    }
    this.archive = archive;
    this.file = file;
    this.force = force;
    this.segmentRows = segmentRows;
    this.threads = threads;
    // As many segments as threads are sealed at a time, while one more is filled.
    this.segmentBytes =
        Math.min(MAX_SEGMENT_BATCH_BYTES, HeapBudget.Part.IMPORTED_FLOWS.bytes() / (threads + 1));
    if (!force) {
      archive.requireNotImported(file);
    }
    this.pool = threads == 1 ? null : Executors.newFixedThreadPool(threads);
  }

  /** Takes a batch; it is kept until its segment is sealed. */
  public void add(FlowBatch batch) throws IOException {
    if (done) {
      throw new IllegalStateException("the import of " + file.name() + " is over");
    }
    if (batch.rows() == 0) {
      return;
    }
    if (batchRows + batch.rows() > segmentRows
        || batchBytes + batch.bytes().length > segmentBytes) {
      seal();
    }
    batches.add(batch);
    batchRows += batch.rows();
    batchBytes += batch.bytes().length;
    rows += batch.rows();
  }

  private void seal() throws IOException {
    if (batches.isEmpty()) {
      return;
    }
    List<FlowBatch> parts = List.copyOf(batches);
    batches.clear();
    batchRows = 0;
    batchBytes = 0;
    if (pool == null) {
      sealed.add(seal(parts));
      return;
    }
    while (sealing.size() >= threads) {
      await();
    }
    sealing.add(pool.submit(() -> seal(parts)));
  }

  private SealedSegment seal(List<FlowBatch> parts) throws IOException {
    SegmentWriter writer = writers.poll();
    writer = writer == null ? archive.newSegmentWriter() : writer;
    try {
      return archive.seal(writer, parts, Provenance.of("file", file.name()));
    } finally {
      writers.add(writer);
    }
  }

  private void await() throws IOException {
    try {
      // Removed only when its result is here: close still deletes it after an interrupt.
      sealed.add(sealing.element().get());
      sealing.remove();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while segments were sealed");
    } catch (ExecutionException e) {
      sealing.remove(); // it left nothing
      if (e.getCause() instanceof IOException io) {
        throw io;
      }
      if (e.getCause() instanceof Error error) {
        throw error; // as if this thread had sealed: a full heap is told from a defect
      }
      throw new IllegalStateException(
          "a segment of " + file.name() + " could not be sealed", e.getCause());
    }
  }

  List<SealedSegment> sealed() {
    return sealed;
  }

  public long rows() {
    return rows;
  }

  /**
   * Seals the remaining rows and commits everything; {@code note} says who, for people. Throws
   * {@link CommitRefusedException} if another imported the file meanwhile.
   */
  public CommitResult commit(String note) throws IOException {
    return commit(file, force, note);
  }

  /** As {@link #commit(String)}, of an input that is known by what was read of it. */
  public CommitResult commitAs(ImportedFile identity, String note) throws IOException {
    return commit(identity, false, note);
  }

  private CommitResult commit(ImportedFile identity, boolean isForced, String note)
      throws IOException {
    if (done) {
      throw new IllegalStateException("the import of " + file.name() + " is over");
    }
    seal();
    while (!sealing.isEmpty()) {
      await();
    }
    // If this fails in any way but a refusal, the commit may stand: none of its files may be
    // deleted.
    done = true;
    try {
      return archive.commit(ArchiveCommit.ofFile(sealed, identity, isForced, note));
    } catch (CommitRefusedException e) {
      done = false;
      throw e;
    }
  }

  /** Deletes sealed segments unknown to the newest commit; none if that cannot be read. */
  @Override
  public void close() throws IOException {
    if (pool != null) {
      pool.shutdown();
    }
    if (done) {
      return;
    }
    done = true;
    batches.clear();
    collectSealed();
    for (SealedSegment segment : sealed) {
      archive.discard(segment);
    }
  }

  /** Segments that are being sealed have to be deleted too, so this waits for them. */
  private void collectSealed() {
    boolean interrupted = false;
    while (!sealing.isEmpty()) {
      try {
        sealed.add(sealing.element().get());
        sealing.remove();
      } catch (InterruptedException e) {
        interrupted = true;
      } catch (ExecutionException e) {
        sealing.remove(); // it left nothing
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
