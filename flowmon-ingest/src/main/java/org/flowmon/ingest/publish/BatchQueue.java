package org.flowmon.ingest.publish;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.flowmon.ingest.spool.Spool;
import org.flowmon.ingest.spool.SpoolPlace;

/**
 * Batches that wait for Kafka's producer, first in, first out: in memory, or with a spool partly on
 * disk.
 *
 * <p>Without a spool all are in memory. With one, it begins when Kafka is away or memory is half
 * full: from then on a {@link SpoolWriter} writes to disk what comes into memory, and what is
 * handed out is read from there, until nothing is left to be read and Kafka takes what is sent. So
 * batches keep their order, and those that come in never wait for the disk: if it is full or slow,
 * they fill the memory. First of all it gets what Kafka's producer has taken from memory and not
 * delivered: a stop then loses nothing.
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

  /** Without an answer for so long Kafka is away, at a stop. */
  static final long AWAY_AT_STOP_NANOS = 1_000_000_000;

  private static final long RETRY_NANOS = 500_000_000;

  /** Some conditions depend on the time; nobody tells of these. */
  private static final long LOOK_NANOS = 200_000_000;

  private final PublisherOptions options;
  private final PublisherCounters counters;
  private final Deliveries deliveries;
  private final Optional<Spool> spool;
  private final Optional<SpoolReader> reader;
  private final TakenBatches taken = new TakenBatches();

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

  /** The writer begins no batch unless Kafka is away, so that memory can be handed out again. */
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
    this.reader = spool.map(earlier -> new SpoolReader(earlier, partitions, counters, deliveries));
    this.spooling = hasUnread();
  }

  boolean hasRoom() {
    lock.lock();
    try {
      return heldBytes() < options.queueBytes();
    } finally {
      lock.unlock();
    }
  }

  private long heldBytes() {
    return bytes + taken.bytes();
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
      highBytes = Math.max(highBytes, heldBytes());
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
      return new PublisherStats.Queue(
          flows, heldBytes(), options.queueBytes(), highBytes, waited / 1000);
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
    Spool.Load load = spool.map(Spool::load).orElse(Spool.Load.NONE);
    return new PublisherStats.Disk(
        active || load.batches() > 0,
        counters.spoolReadErrors.sum(),
        reader.map(SpoolReader::trouble).orElse(""),
        load);
  }

  /** Waits for a batch, which stays in the queue; empty if the queue is closed and empty. */
  Optional<QueuedBatch> first() throws InterruptedException {
    while (handed.isEmpty()) {
      switch (next()) {
        case MEMORY -> handed = fromMemory();
        case DISK -> handed = reader.flatMap(SpoolReader::read);
        case END -> {
          return handed;
        }
      }
    }
    return mayLeave() ? Optional.empty() : handed;
  }

  /** A stop does not wait until Kafka takes what is on disk. */
  private boolean mayLeave() {
    lock.lock();
    try {
      return closed && wasRefused && isEmpty();
    } finally {
      lock.unlock();
    }
  }

  private boolean isEmpty() {
    return batches.isEmpty() && !writing;
  }

  private Optional<QueuedBatch> fromMemory() {
    lock.lock();
    try {
      return Optional.ofNullable(batches.peekFirst());
    } finally {
      lock.unlock();
    }
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
        } else if (closed && isEmpty()) {
          return Next.END; // what is on disk stays there
        } else if (unread && (!closed || isBlocked()) && !isReaderResting()) {
          return Next.DISK;
        } else if (spooling && !unread && mayEndSpooling()) {
          spooling = false;
          catchingUp = false;
          spool.ifPresent(Spool::seal);
        } else {
          var unused = changed.awaitNanos(spooling ? LOOK_NANOS : Long.MAX_VALUE);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private boolean hasUnread() {
    return reader.isPresent() && reader.get().hasUnread();
  }

  private boolean isReaderResting() {
    return reader.isPresent() && reader.get().isResting();
  }

  private boolean isDue() {
    return spool.isPresent() && !batches.isEmpty() && !isBlocked() && wantsDisk();
  }

  private boolean wantsDisk() {
    long patience = ending ? AWAY_AT_STOP_NANOS : AWAY_NANOS;
    return heldBytes() >= options.queueBytes() / 2
        || (ending && wasRefused)
        || deliveries.waitedNanos(System.nanoTime()) >= patience;
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
      if (handed.filter(batch -> batch.place().isEmpty()).isPresent()) {
        handed = Optional.empty(); // it may go to the disk
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

  /** Batches that Kafka's producer has from memory. */
  TakenBatches taken() {
    return taken;
  }

  /** A batch for the disk. */
  record ToWrite(QueuedBatch batch, Optional<TakenBatches.Taken> taken) {}

  /** The oldest batch of the memory, if it is to be written; waits a moment for one. */
  Optional<ToWrite> toWrite() throws InterruptedException {
    lock.lockInterruptibly();
    try {
      long left = SpoolWriter.TIDY_NANOS;
      while (left > 0 && !writerEnds && !mayWrite()) {
        left = changed.awaitNanos(left);
      }
      return mayWrite() && !writerEnds ? oldest() : Optional.empty();
    } finally {
      lock.unlock();
    }
  }

  /** At the end, when nobody hands out any more: the oldest batch of the memory. */
  Optional<ToWrite> lastToWrite() {
    lock.lock();
    try {
      return oldest();
    } finally {
      lock.unlock();
    }
  }

  private Optional<ToWrite> oldest() {
    Optional<TakenBatches.Taken> first = taken.first();
    Optional<ToWrite> next =
        first.isPresent()
            ? Optional.of(new ToWrite(first.get().batch(), first))
            : Optional.ofNullable(batches.peekFirst())
                .map(batch -> new ToWrite(batch, Optional.empty()));
    writing = next.isPresent();
    return next;
  }

  private boolean mayWrite() {
    boolean rests = blocked != Written.YES && System.nanoTime() - blockedNanos < RETRY_NANOS;
    boolean any = !batches.isEmpty() || taken.first().isPresent();
    return spooling && any && !rests && !(catchingUp && !wantsDisk());
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
  void written(ToWrite batch, Written how) {
    lock.lock();
    try {
      writing = false;
      blocked = how;
      if (how == Written.YES && batch.taken.isPresent()) {
        changed.signalAll();
      } else if (how == Written.YES) {
        removed(batches.removeFirst());
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
