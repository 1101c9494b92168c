package org.flowmon.ingest.publish;

import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The flows that were lost before they had a place in a batch, and how many of them batches tell
 * of, whose losses are cumulative. Thread-safe.
 */
final class StreamLosses {
  private final LongAdder all = new LongAdder();
  private final AtomicLongArray told;
  private final AtomicLongArray kept;

  StreamLosses(int partitions) {
    told = new AtomicLongArray(partitions);
    kept = new AtomicLongArray(partitions);
  }

  void lost(long flows) {
    all.add(flows);
  }

  /** Kafka's producer or the spool has a batch that tells of so many. */
  void told(int partition, long losses) {
    told.accumulateAndGet(partition, losses, Math::max);
  }

  /** Kafka or the spool has it: they outlive the process. */
  void kept(int partition, long losses) {
    kept.accumulateAndGet(partition, losses, Math::max);
  }

  long told(int partition) {
    return told.get(partition);
  }

  /** Of these nobody would know after a kill. */
  long notKept() {
    long rest = all.sum();
    for (int partition = 0; partition < kept.length(); partition++) {
      rest -= kept.get(partition);
    }
    return Math.max(0, rest);
  }
}
