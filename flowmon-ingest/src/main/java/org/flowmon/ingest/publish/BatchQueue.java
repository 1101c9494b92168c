package org.flowmon.ingest.publish;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.spool.Spool;
import org.flowmon.ingest.spool.SpoolContents;
import org.flowmon.ingest.spool.SpoolPlace;
import org.flowmon.ingest.spool.SpooledBatch;

/**
 * Batches that wait for Kafka's producer, first in, first out: in memory, or with a spool partly on
 * disk.
 *
 * <p>Without a spool all are in memory. With one, it begins when Kafka is away or memory is half
 * full: from then on a {@link SpoolWriter} writes to disk what comes into memory, and what is
 * handed out is read from there, until nothing is left to be read and Kafka takes what is sent. So
 * batches keep their order, and those that come in never wait for the disk: if it is full or slow,
 * they fill the memory.
 *
 * <p>Memory is bounded by bytes. A batch may be put while there is room ({@link #hasRoom}), so one
 * may exceed the capacity. Heartbeats are always taken: each partition has at most one under way.
 * Without room, the owner waits ({@link #awaitRoom}) or drops the newest flows.
 *
 * <p>{@link #first}, {@link #refused} and {@link #removeFirst} are for one thread, all else for
 * any.
 */
final class BatchQueue {
  private static final long AWAY_NANOS = PublisherStats.AWAY_MICROS * 1000;
  private static final long RETRY_NANOS = 500_000_000;

  private final PublisherOptions options;
  private final PublisherCounters counters;
  private final Deliveries deliveries;
  private final Optional<Spool> spool;
  private final int partitions;

  // Of the thread that hands batches out.
  private Optional<QueuedBatch> handed = Optional.empty();

  // The lock guards all fields below.
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<QueuedBatch> batches = new ArrayDeque<>();
  private long bytes;
  private long flows;
  private long highBytes;
  private boolean closed;
  private boolean ending;
  private boolean writerEnds;
  private boolean wasRefused;

  /** Batches go through the disk. */
  private boolean spooling;

  /** The writer has the first batch of the memory. */
  private boolean writing;

  /** The writer begins no batch, so that memory can be handed out again. */
  private boolean catchingUp;

  private Written blocked = Written.YES;
  private long blockedNanos;

  private enum Next {
    MEMORY,
    DISK,
    END
  }

  /** What became of a batch at the disk. */
  enum Written {
    YES,
    FULL,
    FAILED
  }

  BatchQueue(
      PublisherOptions options,
      int partitions,
      PublisherCounters counters,
      Deliveries deliveries,
      Optional<Spool> spool) {
    this.options = options;
    this.counters = counters;
    this.deliveries = deliveries;
    this.spool = spool;
    this.partitions = partitions;
    spool.ifPresent(this::recover);
  }

  /** Their partitions are not silent until they are sent: a heartbeat would promise too much. */
  private void recover(Spool earlier) {
    spooling = earlier.hasUnread();
    counters.flowsRecovered.add(earlier.recovered().flows());
    long now = System.nanoTime();
    earlier
        .recovered()
        .byPartition()
        .forEach(
            (partition, number) -> {
              for (int i = 0; i < number && partition < partitions; i++) {
                deliveries.begun(partition, now);
              }
            });
  }

  boolean hasRoom() {
    lock.lock();
    try {
      return bytes < options.queueBytes();
    } finally {
      lock.unlock();
    }
  }

  /** The reason of a loss if there is no room. */
  String whyFull() {
    lock.lock();
    try {
      boolean recently = System.nanoTime() - blockedNanos < 10 * RETRY_NANOS;
      return switch (recently ? blocked : Written.YES) {
        case YES -> PublisherStats.QUEUE_FULL;
        case FULL -> PublisherStats.SPOOL_FULL;
        case FAILED -> PublisherStats.SPOOL_FAILED;
      };
    } finally {
      lock.unlock();
    }
  }

  void awaitRoom() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (bytes >= options.queueBytes() && !closed) {
        changed.await();
      }
    } finally {
      lock.unlock();
    }
  }

  /** Puts a batch at the end of the queue, even if there is no room. */
  void put(QueuedBatch batch) {
    deliveries.begun(batch.partition(), batch.queuedNanos());
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

  /** Waits at most {@code nanos}; whether nothing is in memory any more. */
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

  PublisherStats.Queue load() {
    long waited = deliveries.waitedNanos(System.nanoTime());
    lock.lock();
    try {
      return new PublisherStats.Queue(flows, bytes, options.queueBytes(), highBytes, waited / 1000);
    } finally {
      lock.unlock();
    }
  }

  PublisherStats.Disk disk() {
    boolean active;
    lock.lock();
    try {
      active = spooling;
    } finally {
      lock.unlock();
    }
    return new PublisherStats.Disk(active, spool.map(Spool::load).orElse(Spool.Load.NONE));
  }

  /** Waits for a batch, which stays in the queue; empty if the queue is closed and empty. */
  Optional<QueuedBatch> first() throws InterruptedException {
    while (handed.isEmpty()) {
      switch (next()) {
        case MEMORY -> handed = fromMemory();
        case DISK -> handed = fromDisk();
        case END -> {
          return handed;
        }
      }
    }
    return handed;
  }

  private Optional<QueuedBatch> fromMemory() {
    lock.lock();
    try {
      return Optional.ofNullable(batches.peekFirst());
    } finally {
      lock.unlock();
    }
  }

  private Optional<QueuedBatch> fromDisk() {
    Optional<SpooledBatch> read = spool.flatMap(disk -> disk.read(this::lost));
    if (read.isEmpty()) {
      return Optional.empty();
    }
    SpooledBatch batch = read.get();
    if (batch.partition() >= partitions) {
      counters.failed(batch.rows(), PublisherStats.SPOOL_PARTITION_GONE);
      ended(batch.place());
      return Optional.empty();
    }
    long now = System.nanoTime();
    long age = 1000 * Math.max(0, FlowTime.now() - batch.time());
    return Optional.of(
        new QueuedBatch(
            batch.partition(),
            batch.bytes(),
            batch.rows(),
            0,
            now - age,
            now,
            Optional.of(batch.place())));
  }

  /** The spool has lost them. */
  private void lost(SpoolContents damaged) {
    counters.damaged(damaged.batches(), damaged.flows());
    long now = System.nanoTime();
    damaged
        .byPartition()
        .forEach(
            (partition, number) -> {
              for (int i = 0; i < number && partition < partitions; i++) {
                deliveries.ended(partition, false, now);
              }
            });
  }

  /** Decides where the next batch comes from; waits until there is one. */
  private Next next() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      while (true) {
        boolean unread = spooling && hasUnread();
        if (!spooling && isDue()) {
          spooling = true;
          changed.signalAll();
        } else if (!spooling && !batches.isEmpty()) {
          return Next.MEMORY;
        } else if (closed && batches.isEmpty() && !writing) {
          return Next.END; // what is on disk stays there
        } else if (unread && (!closed || isBlocked())) {
          return Next.DISK;
        } else if (spooling && !unread && mayEndSpooling()) {
          spooling = false;
          catchingUp = false;
          spool.ifPresent(Spool::seal);
        } else {
          changed.await();
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean hasUnread() {
    return spool.isPresent() && spool.get().hasUnread();
  }

  private boolean isDue() {
    return spool.isPresent() && !batches.isEmpty() && !isBlocked() && wantsDisk();
  }

  private boolean wantsDisk() {
    return bytes >= options.queueBytes() / 2
        || (ending && wasRefused)
        || deliveries.waitedNanos(System.nanoTime()) >= AWAY_NANOS;
  }

  /** Whether the disk did not take a batch a moment ago. */
  private boolean isBlocked() {
    return blocked != Written.YES && System.nanoTime() - blockedNanos < 2 * RETRY_NANOS;
  }

  /** If nothing is left to be read. */
  private boolean mayEndSpooling() {
    boolean before = catchingUp;
    catchingUp = !isBlocked() && !wantsDisk();
    if (before && !catchingUp) {
      changed.signalAll();
    }
    return (catchingUp || isBlocked()) && !writing;
  }

  /** Kafka's producer did not take the first batch, which is tried again. */
  void refused() {
    lock.lock();
    try {
      wasRefused = true;
      if (closed || handed.filter(batch -> batch.place().isEmpty()).isPresent()) {
        handed = Optional.empty(); // it may go to the disk, or stay there
      }
    } finally {
      lock.unlock();
    }
  }

  /** The first batch was handed on, or given up. */
  void removeFirst() {
    boolean fromMemory = handed.filter(batch -> batch.place().isEmpty()).isPresent();
    handed = Optional.empty();
    lock.lock();
    try {
      wasRefused = false;
      if (fromMemory) {
        removed(batches.removeFirst());
      }
    } finally {
      lock.unlock();
    }
  }

  private void removed(QueuedBatch batch) {
    bytes -= batch.bytes().length;
    flows -= batch.rows();
    changed.signalAll();
  }

  /** Kafka has what lies there, or it was given up. */
  void ended(SpoolPlace place) {
    spool.ifPresent(disk -> disk.ended(place));
  }

  /** The first batch of the memory, if it is to be written; waits a moment for one. */
  Optional<QueuedBatch> toWrite() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = SpoolWriter.TIDY_NANOS;
      while (left > 0 && !writerEnds && !mayWrite()) {
        left = changed.awaitNanos(left);
      }
      writing = mayWrite() && !writerEnds;
      return writing ? Optional.of(batches.getFirst()) : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  private boolean mayWrite() {
    boolean rests = blocked != Written.YES && System.nanoTime() - blockedNanos < RETRY_NANOS;
    return spooling && !catchingUp && !batches.isEmpty() && !rests;
  }

  boolean hasWriterToEnd() {
    lock.lock();
    try {
      return writerEnds;
    } finally {
      lock.unlock();
    }
  }

  /** What became of that batch. */
  void written(QueuedBatch batch, Written how) {
    lock.lock();
    try {
      writing = false;
      blocked = how;
      if (how == Written.YES) {
        batches.removeFirst();
        removed(batch);
      } else {
        blockedNanos = System.nanoTime();
        changed.signalAll();
      }
    } finally {
      lock.unlock();
    }
  }

  /** A stop begins: what Kafka refuses goes to the disk at once. */
  void hurry() {
    lock.lock();
    try {
      ending = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Nobody puts any more. */
  void close() {
    lock.lock();
    try {
      closed = true;
      ending = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** The writer ends with the batch that it has. */
  void endWriter() {
    lock.lock();
    try {
      writerEnds = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes out what is in memory, when nobody hands out or writes any more. */
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
}
