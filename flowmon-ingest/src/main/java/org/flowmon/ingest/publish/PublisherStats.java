package org.flowmon.ingest.publish;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToLongFunction;
import org.flowmon.ingest.spool.Spool;

/**
 * The counts so far. Every taken or recovered flow is produced (acknowledged by Kafka), failed or
 * under way.
 *
 * @param flowsRecovered found in the spool of an earlier run
 * @param failedByReason reason → rows, of {@code flowsFailed}
 * @param batchesProduced with rows, as {@code batchesFailed}
 * @param bytesProduced before compression
 * @param flowsLostBefore flows that the owner lost before publishing
 * @param arrivalsBack batches that begin, by arrival, before an earlier one of their partition
 *     ended: 0 unless the owner's clock goes back
 * @param maxLatencyMicros longest time from a batch's first row to Kafka's acknowledgement, µs
 * @param queue its current load
 * @param disk the spool's, all 0 without one
 */
public record PublisherStats(
    long flowsTaken,
    long flowsRecovered,
    long flowsProduced,
    long flowsFailed,
    Map<String, Long> failedByReason,
    long batchesProduced,
    long bytesProduced,
    long batchesFailed,
    long heartbeatsProduced,
    long heartbeatsFailed,
    long flowsLostBefore,
    long arrivalsBack,
    long maxLatencyMicros,
    Queue queue,
    Disk disk) {
  /** The reason in {@code failedByReason} of flows that found no room. */
  public static final String QUEUE_FULL = "queue_full";

  /** The reason in {@code failedByReason} of flows not delivered within a stop's timeout. */
  public static final String NOT_DELIVERED_AT_STOP = "not_delivered_at_stop";

  /** The reason of flows that found no room, as the spool has reached its bound. */
  public static final String SPOOL_FULL = "spool_full";

  /** The reason of flows that found no room, as the disk took nothing: it may be full. */
  public static final String SPOOL_FAILED = "spool_failed";

  /** The reason of flows of the spool that are damaged, or cut off by a kill. */
  public static final String SPOOL_DAMAGED = "spool_damaged";

  /** The reason of flows of the spool whose partition the topic no longer has. */
  public static final String SPOOL_PARTITION_GONE = "spool_partition_gone";

  /** The reason of flows whose batch is larger than any message. */
  static final String RECORD_TOO_LARGE = "record_too_large";

  /** Kafka is away if it takes nothing for so long, µs: longer than a failover between brokers. */
  public static final long AWAY_MICROS = 5_000_000;

  /**
   * The queue before Kafka's producer: its load, the bytes from which on there is no room, and the
   * highest load so far. With a spool, bytes that the producer has and the disk has not count, too.
   *
   * @param waitedMicros the longest time that a partition has had something under way without an
   *     arrival, µs; 0 if nothing is under way
   */
  public record Queue(
      long flows, long bytes, long capacityBytes, long highBytes, long waitedMicros) {
    /** Whether Kafka takes nothing for at least one partition. */
    public boolean isKafkaAway() {
      return waitedMicros >= AWAY_MICROS;
    }
  }

  /**
   * The spool.
   *
   * @param active whether batches go through it, or are there that Kafka does not have
   * @param readErrors reads that failed; they are tried again
   * @param trouble why it cannot be read for now, empty if it can
   */
  public record Disk(boolean active, long readErrors, String trouble, Spool.Load load) {}

  public PublisherStats {
    failedByReason = Collections.unmodifiableMap(new TreeMap<>(failedByReason));
  }

  /** The counts of several publishers together. */
  public static PublisherStats sum(List<PublisherStats> all) {
    Map<String, Long> reasons = new TreeMap<>();
    all.forEach(
        one -> one.failedByReason.forEach((why, rows) -> reasons.merge(why, rows, Long::sum)));
    return new PublisherStats(
        sum(all, PublisherStats::flowsTaken),
        sum(all, PublisherStats::flowsRecovered),
        sum(all, PublisherStats::flowsProduced),
        sum(all, PublisherStats::flowsFailed),
        reasons,
        sum(all, PublisherStats::batchesProduced),
        sum(all, PublisherStats::bytesProduced),
        sum(all, PublisherStats::batchesFailed),
        sum(all, PublisherStats::heartbeatsProduced),
        sum(all, PublisherStats::heartbeatsFailed),
        sum(all, PublisherStats::flowsLostBefore),
        sum(all, PublisherStats::arrivalsBack),
        all.stream().mapToLong(PublisherStats::maxLatencyMicros).max().orElse(0),
        new Queue(
            sum(all, one -> one.queue.flows),
            sum(all, one -> one.queue.bytes),
            sum(all, one -> one.queue.capacityBytes),
            sum(all, one -> one.queue.highBytes),
            all.stream().mapToLong(one -> one.queue.waitedMicros).max().orElse(0)),
        new Disk(
            all.stream().anyMatch(one -> one.disk.active),
            sum(all, one -> one.disk.readErrors),
            all.stream()
                .map(one -> one.disk.trouble)
                .filter(trouble -> !trouble.isEmpty())
                .findFirst()
                .orElse(""),
            all.stream().map(one -> one.disk.load).reduce(Spool.Load.NONE, Spool.Load::with)));
  }

  private static long sum(List<PublisherStats> all, ToLongFunction<PublisherStats> count) {
    return all.stream().mapToLong(count).sum();
  }

  public long flowsUnderWay() {
    return flowsTaken + flowsRecovered - flowsProduced - flowsFailed;
  }
}
