package org.flowmon.jobs.sink.archive;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.flowmon.archive.Archive;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.source.PositionedBatch;

/**
 * Seals one writer's pieces in the background, on a thread per {@link SegmentWriter}. Without an
 * idle one the caller waits, so threads + 1 pieces at most are in memory. Used by one thread.
 */
final class SealingPool implements AutoCloseable {
  private final NoRoomRetry room = new NoRoomRetry();
  private final BlockingQueue<PieceSealer> idle;
  private final ExecutorService threads;
  private final Deque<Future<PieceSealer.Piece>> outstanding = new ArrayDeque<>();

  SealingPool(Archive archive, Provenance provenance, int size) throws IOException {
    this.idle = new ArrayBlockingQueue<>(size);
    for (int i = 0; i < size; i++) {
      idle.add(new PieceSealer(new ArchiveSealing(archive, provenance)));
    }
    this.threads =
        Executors.newFixedThreadPool(
            size,
            task -> {
              Thread thread = new Thread(task, "segment-sealer");
              thread.setDaemon(true);
              return thread;
            });
  }

  /** The pool owns list and batches from now on. ExecutionException: an earlier piece failed. */
  void submit(List<PositionedBatch> batches) throws InterruptedException, ExecutionException {
    for (Future<PieceSealer.Piece> piece : outstanding) {
      if (piece.isDone()) {
        piece.get(); // fail at once and not at the next barrier
      }
    }
    PieceSealer sealer = idle.take();
    outstanding.add(
        threads.submit(
            () -> {
              try {
                return sealer.seal(batches);
              } finally {
                idle.add(sealer);
              }
            }));
  }

  long waitedForRoomMillis() {
    return room.waitedMillis();
  }

  /** Waits for all pieces, in submitted order. ExecutionException: one could not be sealed. */
  List<PieceSealer.Piece> drain() throws InterruptedException, ExecutionException {
    List<PieceSealer.Piece> pieces = new ArrayList<>(outstanding.size());
    while (!outstanding.isEmpty()) {
      pieces.add(outstanding.peek().get());
      outstanding.remove();
    }
    return pieces;
  }

  /** Does not wait: unfinished pieces never become part of the archive. */
  @Override
  public void close() {
    threads.shutdownNow();
  }

  /** Used by one thread at a time. */
  private final class ArchiveSealing implements PieceSealer.Sealing {
    private final Archive archive;
    private final Provenance provenance;
    private SegmentWriter writer;

    ArchiveSealing(Archive archive, Provenance provenance) throws IOException {
      this.archive = archive;
      this.provenance = provenance;
      this.writer = archive.newSegmentWriter();
    }

    @Override
    public SealedSegment seal(List<FlowBatch> batches) throws IOException {
      try {
        return room.run(() -> archive.seal(writer, batches, provenance));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while sealing waited for room");
      } catch (RuntimeException e) {
        writer = archive.newSegmentWriter(); // the state of this one's arrays is unknown
        throw e;
      }
    }

    @Override
    public void discard(SealedSegment segment) throws IOException {
      archive.discard(segment);
    }
  }
}
