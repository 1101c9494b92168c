package org.flowmon.ingest.publish;

import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.flowmon.ingest.publish.BatchQueue.Written;
import org.flowmon.ingest.spool.Spool;
import org.flowmon.ingest.spool.SpoolPlace;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes batches from a queue's memory into its spool, on a thread of its own: the only one that
 * waits for the disk to take anything.
 */
final class SpoolWriter {
  /** How often the spool's mark is written and its files are deleted. */
  static final long TIDY_NANOS = 300_000_000;

  private static final Logger LOG = LoggerFactory.getLogger(FlowPublisher.class);
  private static final long STOP_MILLIS = 10_000;

  private final BatchQueue queue;
  private final Spool spool;
  private final PublisherCounters counters;
  private final Deliveries deliveries;
  private final StreamLosses losses;
  private final int partitions;
  private final Thread thread;
  private boolean hasFailed;
  private boolean isUntidy;

  SpoolWriter(
      String topic,
      int partitions,
      BatchQueue queue,
      Spool spool,
      PublisherCounters counters,
      Deliveries deliveries,
      StreamLosses losses) {
    this.partitions = partitions;
    this.queue = queue;
    this.spool = spool;
    this.counters = counters;
    this.deliveries = deliveries;
    this.losses = losses;
    this.thread = new Thread(this::run, "flow-spool-" + topic);
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    tidy();
    long tidied = System.nanoTime();
    try {
      while (!queue.hasWriterToEnd()) {
        Optional<BatchQueue.ToWrite> next = queue.toWrite();
        if (System.nanoTime() - tidied >= TIDY_NANOS) {
          tidy();
          tidied = System.nanoTime();
        }
        next.ifPresent(batch -> queue.written(batch, write(batch)));
      }
      writeAll();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // nobody interrupts it
    }
  }

  /** At the end: what Kafka has not got until now, unless the disk does not take it. */
  private void writeAll() {
    Written how = Written.YES;
    while (how == Written.YES) {
      Optional<BatchQueue.ToWrite> next = queue.lastToWrite();
      if (next.isEmpty()) {
        return;
      }
      how = write(next.get());
      queue.written(next.get(), how);
    }
  }

  private Written write(BatchQueue.ToWrite next) {
    QueuedBatch batch = next.batch();
    boolean isTaken = next.taken().isPresent();
    if (batch.bytes().length > Spool.MAX_BATCH_BYTES) {
      if (isTaken) {
        var unused = queue.taken().end(next.taken().get()); // the producer will refuse it
        return Written.YES;
      }
      counters.failed(batch.rows(), PublisherStats.RECORD_TOO_LARGE);
      deliveries.ended(batch.partition(), false, System.nanoTime());
      return Written.YES;
    }
    try {
      boolean hasRoom =
          isTaken
              ? writeTaken(next.taken().get())
              : spool.write(batch.partition(), batch.rows(), batch.bytes());
      if (!hasRoom) {
        return Written.FULL;
      }
      losses.told(batch.partition(), batch.losses());
      losses.kept(batch.partition(), batch.losses());
      if (hasFailed) {
        LOG.warn("spool {} can be written again", spool.folder());
      }
      hasFailed = false;
      return Written.YES;
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      if (!hasFailed) {
        LOG.warn(
            "spool {} cannot be written ({}): flows wait in memory, then the newest are dropped;"
                + " it is tried again",
            spool.folder(),
            e.toString());
      }
      hasFailed = true;
      return Written.FAILED;
    }
  }

  private boolean writeTaken(TakenBatches.Taken taken) throws IOException {
    QueuedBatch batch = taken.batch();
    Optional<SpoolPlace> place =
        spool.writeUnderWay(batch.partition(), batch.rows(), batch.bytes());
    if (place.isPresent() && !queue.taken().written(taken, place.get())) {
      spool.ended(place.get());
    }
    return place.isPresent();
  }

  private void tidy() {
    try {
      spool.tidy(losses.notKept(), partitions);
      isUntidy = false;
    } catch (IOException | RuntimeException e) {
      if (!isUntidy) {
        LOG.warn(
            "spool {}: after a kill, flows may be sent twice: {}", spool.folder(), e.toString());
      }
      isUntidy = true;
    }
  }

  /** When nobody hands out any more: writes what is in memory, if the disk takes it within 10 s. */
  void end() {
    queue.endWriter();
    boolean interrupted = false;
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(STOP_MILLIS);
    while (thread.isAlive() && System.nanoTime() - end < 0) {
      try {
        thread.join(STOP_MILLIS);
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Closes the spool when no batch can end any more: after Kafka's producer. */
  void close() {
    if (thread.isAlive()) {
      LOG.warn("spool {}: the disk does not answer", spool.folder());
      return;
    }
    spool.seal(); // a file that Kafka has need not stay
    tidy();
    Spool.Load left = spool.load();
    try {
      spool.close();
    } catch (IOException e) {
      LOG.warn("spool {}: {}", spool.folder(), e.toString());
    }
    if (left.batches() > 0) {
      LOG.warn("{} flows wait in spool {} for the next start", left.flows(), spool.folder());
    }
  }
}
