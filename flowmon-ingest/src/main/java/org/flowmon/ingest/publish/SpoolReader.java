package org.flowmon.ingest.publish;

import java.io.IOException;
import java.util.Optional;
import org.flowmon.flow.time.FlowTime;
import org.flowmon.ingest.spool.Spool;
import org.flowmon.ingest.spool.SpoolContents;
import org.flowmon.ingest.spool.SpooledBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads batches from a spool, for the thread that hands them out. What cannot be read for now stays
 * where it is, and is tried again after a pause; only damage is a loss.
 */
final class SpoolReader {
  private static final Logger LOG = LoggerFactory.getLogger(FlowPublisher.class);
  private static final long RETRY_NANOS = 500_000_000;

  private final Spool spool;
  private final int partitions;
  private final PublisherCounters counters;
  private final Deliveries deliveries;
  private volatile String trouble = "";
  private volatile long failedNanos;

  SpoolReader(Spool spool, int partitions, PublisherCounters counters, Deliveries deliveries) {
    this.spool = spool;
    this.partitions = partitions;
    this.counters = counters;
    this.deliveries = deliveries;
    recover();
  }

  /** Their partitions are not silent until they are sent: a heartbeat would promise too much. */
  private void recover() {
    counters.flowsRecovered.add(spool.recovered().flows());
    long now = System.nanoTime();
    spool
        .recovered()
        .byPartition()
        .forEach(
            (partition, number) -> {
              for (int i = 0; i < number && partition < partitions; i++) {
                deliveries.begun(partition, now);
              }
            });
  }

  boolean hasUnread() {
    return spool.hasUnread();
  }

  /** Why nothing can be read for now; empty if it can. */
  String trouble() {
    return trouble;
  }

  /** Whether a read would come too soon after one that failed. */
  boolean isResting() {
    return !trouble.isEmpty() && System.nanoTime() - failedNanos < RETRY_NANOS;
  }

  /** The oldest batch that was not read yet; empty if there is none, or none that can be sent. */
  Optional<QueuedBatch> read() {
    Optional<SpooledBatch> read;
    try {
      read = spool.read(this::lost);
    } catch (IOException | RuntimeException | OutOfMemoryError e) {
      if (!Thread.currentThread().isInterrupted()) { // else it has closed the file
        failed(e);
      }
      return Optional.empty();
    }
    if (!trouble.isEmpty()) {
      LOG.warn("spool {} can be read again", spool.folder());
      trouble = "";
    }
    return read.flatMap(this::queued);
  }

  private void failed(Throwable e) {
    counters.spoolReadErrors.increment();
    failedNanos = System.nanoTime();
    if (trouble.isEmpty()) {
      LOG.warn(
          "spool {} cannot be read ({}): its flows stay there; it is tried again",
          spool.folder(),
          e.toString());
    }
    trouble = "the spool cannot be read: " + e;
  }

  private Optional<QueuedBatch> queued(SpooledBatch batch) {
    if (batch.partition() >= partitions) {
      counters.failed(batch.rows(), PublisherStats.SPOOL_PARTITION_GONE);
      spool.ended(batch.place());
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
}
