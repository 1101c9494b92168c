package org.flowmon.ingest.publish;

import java.util.Collections;
import java.util.Map;
import java.util.TreeMap;

/**
 * What a publisher has done so far. Every flow that was taken is in exactly one of {@code
 * flowsProduced}, {@code flowsFailed} and those still under way.
 *
 * @param flowsTaken rows handed to the publisher
 * @param flowsProduced rows that Kafka has acknowledged
 * @param flowsFailed rows of batches that could not be delivered
 * @param failedByReason reason → rows, of {@code flowsFailed}
 * @param batchesProduced batches with rows that Kafka has acknowledged
 * @param bytesProduced their bytes, before compression
 * @param batchesFailed batches with rows that could not be delivered
 * @param heartbeatsProduced heartbeats that Kafka has acknowledged
 * @param heartbeatsFailed heartbeats that could not be delivered
 * @param flowsLostBefore flows that the owner says it lost before it had them published
 * @param arrivalsBack batches that begin before an earlier one of their partition ended, by
 *     arrival: 0 unless the owner's clock goes back
 * @param maxLatencyMicros longest time from a batch's first row to Kafka's acknowledgement, µs
 * @param queue what waits for Kafka in memory now
 */
public record PublisherStats(
    long flowsTaken,
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
    Queue queue) {
  /** The reason for which flows count, of {@code failedByReason}, that found no room. */
  public static final String QUEUE_FULL = "queue_full";

  /** The reason for which flows count that were not delivered when a stop's time was over. */
  public static final String NOT_DELIVERED_AT_STOP = "not_delivered_at_stop";

  /** From when on Kafka counts as away, µs: longer than a broker of several takes to follow. */
  public static final long AWAY_MICROS = 5_000_000;

  /**
   * The queue before Kafka's producer.
   *
   * @param flows in it
   * @param bytes in it
   * @param capacityBytes from which on there is no room
   * @param highBytes the most that it ever held
   * @param waitedMicros how long something has been on its way to a partition into which nothing
   *     has arrived meanwhile, µs; 0 where nothing is
   */
  public record Queue(
      long flows, long bytes, long capacityBytes, long highBytes, long waitedMicros) {
    /** Whether Kafka takes nothing, or nothing of one partition at least. */
    public boolean isKafkaAway() {
      return waitedMicros >= AWAY_MICROS;
    }
  }

  public PublisherStats {
    failedByReason = Collections.unmodifiableMap(new TreeMap<>(failedByReason));
  }

  /** Flows that were taken and of which Kafka has said nothing yet. */
  public long flowsUnderWay() {
    return flowsTaken - flowsProduced - flowsFailed;
  }
}
