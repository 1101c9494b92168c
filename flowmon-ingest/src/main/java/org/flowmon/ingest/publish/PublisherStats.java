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
    long maxLatencyMicros) {

  public PublisherStats {
    failedByReason = Collections.unmodifiableMap(new TreeMap<>(failedByReason));
  }

  /** Flows that were taken and of which Kafka has said nothing yet. */
  public long flowsUnderWay() {
    return flowsTaken - flowsProduced - flowsFailed;
  }
}
