package org.flowmon.ingest.publish;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAccumulator;
import java.util.concurrent.atomic.LongAdder;

/** The counters of {@link PublisherStats}. Thread-safe. */
final class PublisherCounters {
  final LongAdder flowsTaken = new LongAdder();
  final LongAdder flowsLostBefore = new LongAdder();
  final LongAdder arrivalsBack = new LongAdder();
  final LongAdder flowsRecovered = new LongAdder();
  final LongAdder spoolReadErrors = new LongAdder();

  private final LongAdder flowsProduced = new LongAdder();
  private final LongAdder flowsFailed = new LongAdder();
  private final LongAdder batchesProduced = new LongAdder();
  private final LongAdder bytesProduced = new LongAdder();
  private final LongAdder batchesFailed = new LongAdder();
  private final LongAdder heartbeatsProduced = new LongAdder();
  private final LongAdder heartbeatsFailed = new LongAdder();
  private final LongAccumulator maxLatencyNanos = new LongAccumulator(Math::max, 0);
  private final Map<String, LongAdder> failedByReason = new ConcurrentHashMap<>();

  void produced(int rows, int bytes, long nanos) {
    if (rows == 0) {
      heartbeatsProduced.increment();
      return;
    }
    flowsProduced.add(rows);
    batchesProduced.increment();
    bytesProduced.add(bytes);
    maxLatencyNanos.accumulate(nanos);
  }

  void failed(int rows, String reason) {
    if (rows == 0) {
      heartbeatsFailed.increment();
      return;
    }
    flowsFailed.add(rows);
    batchesFailed.increment();
    failedByReason.computeIfAbsent(reason, r -> new LongAdder()).add(rows);
  }

  /** The spool cannot read them any more. */
  void damaged(long batches, long flows) {
    flowsFailed.add(flows);
    batchesFailed.add(batches);
    failedByReason.computeIfAbsent(PublisherStats.SPOOL_DAMAGED, r -> new LongAdder()).add(flows);
  }

  /** {@code RecordTooLargeException} becomes {@code record_too_large}. */
  static String reason(Throwable why) {
    String name = why.getClass().getSimpleName().replaceFirst("Exception$", "");
    return name.replaceAll("([a-z])([A-Z])", "$1_$2").toLowerCase(Locale.ROOT);
  }

  PublisherStats stats(PublisherStats.Queue queue, PublisherStats.Disk disk) {
    Map<String, Long> reasons = new HashMap<>();
    failedByReason.forEach((reason, rows) -> reasons.put(reason, rows.sum()));
    // Read the produced flows before the taken ones: flows under way are never negative.
    long produced = flowsProduced.sum();
    long failed = flowsFailed.sum();
    return new PublisherStats(
        flowsTaken.sum(),
        flowsRecovered.sum(),
        produced,
        failed,
        reasons,
        batchesProduced.sum(),
        bytesProduced.sum(),
        batchesFailed.sum(),
        heartbeatsProduced.sum(),
        heartbeatsFailed.sum(),
        flowsLostBefore.sum(),
        arrivalsBack.sum(),
        maxLatencyNanos.get() / 1000,
        queue,
        disk);
  }
}
