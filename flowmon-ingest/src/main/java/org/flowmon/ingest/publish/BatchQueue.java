package org.flowmon.ingest.publish;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The queue of batches for Kafka's producer: first in, first out, bounded by bytes. Flows can come
 * in while Kafka is away.
 *
 * <pre>
 * FlowPublisher ──put──► BatchQueue ──first, removeFirst──► KafkaSender ──► Kafka's producer
 *  (receives, makes                                          (a thread of
 *   batches, never waits)                                     its own, waits)
 * </pre>
 *
 * <p>A batch may be put while there is room ({@link #hasRoom}), so the queue holds at most its
 * capacity and one batch more. Heartbeats are always taken: each partition has at most one under
 * way. If there is no room, the owner waits ({@link #awaitRoom}) or drops the newest flows. A spool
 * on disk would fit between {@link #hasRoom} and the drop: it would return batches in order when
 * there is room again.
 *
 * <p>A batch counts until {@link #removeFirst}, when Kafka's producer has it in its own buffer.
 * Thread-safe; a single thread takes.
 */
final class BatchQueue {
  private final long capacity;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<QueuedBatch> batches = new ArrayDeque<>();
  private long bytes;
  private long flows;
  private long highBytes;
  private boolean closed;

  /**
   * @param capacity bytes, above 0
   */
  BatchQueue(long capacity) {
    this.capacity = capacity;
  }

  /**
   * The load of a queue.
   *
   * @param highBytes the highest number of bytes so far
   */
  record Load(long flows, long bytes, long highBytes) {}

  boolean hasRoom() {
    lock.lock();
    try {
      return bytes < capacity;
    } finally {
      lock.unlock();
    }
  }

  /** Waits until there is room. */
  void awaitRoom() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (bytes >= capacity && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Puts a batch at the end, even if there is no room. */
  void put(QueuedBatch batch) {
    lock.lock();
    try {
      batches.add(batch);
      bytes += batch.bytes().length;
      flows += batch.rows();
      highBytes = Math.max(highBytes, bytes);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the oldest batch without removing it; waits for one. Empty if the queue is closed and
   * empty.
   */
  Optional<QueuedBatch> first() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (batches.isEmpty() && !closed) {
        changed.await();
      }
      return Optional.ofNullable(batches.peekFirst());
    } finally {
      lock.unlock();
    }
  }

  /** Removes the batch that {@link #first} returned. */
  void removeFirst() {
    lock.lock();
    try {
      QueuedBatch batch = batches.removeFirst();
      bytes -= batch.bytes().length;
      flows -= batch.rows();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits until the queue is empty, for at most {@code nanos}; returns whether it is empty. */
  boolean awaitEmpty(long nanos) throws InterruptedException {
    long end = System.nanoTime() + nanos;
    lock.lockInterruptibly();
    try {
      while (!batches.isEmpty()) {
        long left = end - System.nanoTime();
        if (left <= 0) {
          return false;
        }
        var unused = changed.await(left, TimeUnit.NANOSECONDS);
      }
      return true;
    } finally {
      lock.unlock();
    }
  }

  /** Closes the queue: nobody waits any more, and {@link #first} ends with the last batch. */
  void close() {
    lock.lock();
    try {
      closed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Removes all batches. */
  List<QueuedBatch> clear() {
    lock.lock();
    try {
      List<QueuedBatch> left = List.copyOf(batches);
      batches.clear();
      bytes = 0;
      flows = 0;
      changed.signalAll();
      return left;
    } finally {
      lock.unlock();
    }
  }

  long capacity() {
    return capacity;
  }

  Load load() {
    lock.lock();
    try {
      return new Load(flows, bytes, highBytes);
    } finally {
      lock.unlock();
    }
  }
}
