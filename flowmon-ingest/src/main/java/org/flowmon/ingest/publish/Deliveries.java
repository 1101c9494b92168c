package org.flowmon.ingest.publish;

import java.util.BitSet;

/** What is under way to Kafka by partition, and since when nothing arrived. Thread-safe. */
final class Deliveries {
  private final int[] underWay;
  private final long[] since;

  Deliveries(int partitions) {
    underWay = new int[partitions];
    since = new long[partitions];
  }

  synchronized void begun(int partition, long nowNanos) {
    if (underWay[partition]++ == 0) {
      since[partition] = nowNanos;
    }
  }

  /** If not {@code delivered} to Kafka, it was given up. */
  synchronized void ended(int partition, boolean delivered, long nowNanos) {
    underWay[partition]--;
    if (delivered) {
      since[partition] = nowNanos;
    }
  }

  /** Nothing is under way; a heartbeat is useful only then. */
  synchronized boolean isQuiet(int partition) {
    return underWay[partition] == 0;
  }

  /** The longest time that a partition has something under way without an arrival, ns, else 0. */
  synchronized long waitedNanos(long nowNanos) {
    long longest = 0;
    for (int i = 0; i < underWay.length; i++) {
      if (underWay[i] > 0) {
        longest = Math.max(longest, nowNanos - since[i]);
      }
    }
    return longest;
  }

  synchronized BitSet waiting(long nowNanos, long atLeastNanos) {
    BitSet waiting = new BitSet();
    for (int i = 0; i < underWay.length; i++) {
      waiting.set(i, underWay[i] > 0 && nowNanos - since[i] >= atLeastNanos);
    }
    return waiting;
  }
}
