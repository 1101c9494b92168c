package org.flowmon.bench.live;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * The time at which a watermark was possible: it passes an arrival when every partition has had a
 * batch of that arrival or a later one. Not thread-safe.
 */
final class WatermarkTimes {
  // By partition: each batch's largest arrival → when it was sent.
  private final Map<Integer, TreeMap<Long, Long>> byPartition = new HashMap<>();

  /**
   * Notes a batch.
   *
   * @param arrivalMicros its largest arrival
   * @param sentMillis when it was given to Kafka's producer
   */
  void sent(int partition, long arrivalMicros, long sentMillis) {
    byPartition
        .computeIfAbsent(partition, p -> new TreeMap<>())
        .putIfAbsent(arrivalMicros, sentMillis);
  }

  /** Notes a batch without flows in each partition with batches. */
  void beat(long arrivalMicros, long sentMillis) {
    byPartition.values().forEach(batches -> batches.putIfAbsent(arrivalMicros, sentMillis));
  }

  /**
   * When all partitions had a batch of this arrival or later, milliseconds.
   *
   * @return NaN if one had none
   */
  double passed(long arrivalMicros) {
    long passed = Long.MIN_VALUE;
    for (TreeMap<Long, Long> batches : byPartition.values()) {
      Map.Entry<Long, Long> first = batches.ceilingEntry(arrivalMicros);
      if (first == null) {
        return Double.NaN;
      }
      passed = Math.max(passed, first.getValue());
    }
    return passed == Long.MIN_VALUE ? Double.NaN : passed;
  }
}
