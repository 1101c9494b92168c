package org.flowmon.jobs.sink;

import java.io.IOException;
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
import org.flowmon.archive.segment.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.urgent.Politeness;

/**
 * Seals pieces of one writer in the background, on as many threads as there are {@link
 * SegmentWriter}s; a piece that finds none idle makes the caller wait. So at most threads + 1
 * pieces are in memory. Used by one thread.
 */
final class SealingPool implements AutoCloseable {
  private final Archive archive;
  private final Provenance provenance;
  private final RoomWait room = new RoomWait();
  private final BlockingQueue<SegmentWriter> idle;
  private final ExecutorService threads;
  private final Deque<Future<Piece>> outstanding = new ArrayDeque<>();
  // Whether the caller waits: flows, then, and all that comes of them.
  private volatile boolean awaited;

  /** A sealed segment and the time that it took. */
  record Piece(SealedSegment segment, long nanos) {}

  SealingPool(Archive archive, Provenance provenance, int size) throws IOException {
    this.archive = archive;
    this.provenance = provenance;
    this.idle = new ArrayBlockingQueue<>(size);
    for (int i = 0; i < size; i++) {
      SegmentWriter writer = archive.newSegmentWriter();
      writer.beforeColumns(new Politeness(() -> awaited));
      idle.add(writer);
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

  /**
   * Hands a piece over; the list and its batches belong to the pool from now on.
   *
   * @throws ExecutionException where an earlier piece could not be sealed
   */
  void submit(List<FlowBatch> batches) throws InterruptedException, ExecutionException {
    for (Future<Piece> piece : outstanding) {
      if (piece.isDone()) {
        piece.get(); // fail at once and not at the next barrier
      }
    }
    SegmentWriter writer = take();
    outstanding.add(
        threads.submit(
            () -> {
              try {
                long begun = System.nanoTime();
                SealedSegment segment = room.run(() -> archive.seal(writer, batches, provenance));
                return new Piece(segment, System.nanoTime() - begun);
              } finally {
                idle.add(writer);
              }
            }));
  }

  /** Milliseconds for which sealing waited as the disk was full. */
  long waitedForRoomMillis() {
    return room.waitedMillis();
  }

  private SegmentWriter take() throws InterruptedException {
    awaited = true;
    try {
      return idle.take();
    } finally {
      awaited = false;
    }
  }

  /**
   * Waits for all pieces, in the order in which they were handed over.
   *
   * @throws ExecutionException where one could not be sealed
   */
  List<Piece> drain() throws InterruptedException, ExecutionException {
    List<Piece> pieces = new ArrayList<>(outstanding.size());
    awaited = true;
    try {
      while (!outstanding.isEmpty()) {
        pieces.add(outstanding.peek().get());
        outstanding.remove();
      }
    } finally {
      awaited = false;
    }
    return pieces;
  }

  /** Stops without waiting: what is being sealed never becomes part of the archive. */
  @Override
  public void close() {
    threads.shutdownNow();
  }
}
