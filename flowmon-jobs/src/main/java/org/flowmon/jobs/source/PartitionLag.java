package org.flowmon.jobs.source;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.flow.time.FlowTime;

/**
 * How far the task is behind in each partition: metric {@code arrival_lag_seconds} of group {@code
 * partition.N}, the time since the largest arrival that was read. Heartbeats come each second, so
 * it stays within seconds unless the job is behind, or the partition's producers are silent.
 */
final class PartitionLag {
  private final MetricGroup group;
  private final LongSupplier clock;
  private final Map<String, Reached> partitions = new HashMap<>();

  PartitionLag(MetricGroup group) {
    this(group, FlowTime::now);
  }

  /** {@code clock}: microseconds since 1970. */
  PartitionLag(MetricGroup group, LongSupplier clock) {
    this.group = group;
    this.clock = clock;
  }

  void reached(PositionedBatch record) {
    if (record.reached() == Long.MIN_VALUE) {
      return;
    }
    Reached partition = partitions.get(record.sourceKey());
    if (partition == null) {
      partition = new Reached();
      partitions.put(record.sourceKey(), partition);
      Reached shown = partition;
      String number = record.sourceKey().substring(record.sourceKey().lastIndexOf(':') + 1);
      Gauge<Double> seconds = () -> (clock.getAsLong() - shown.arrival) / 1e6;
      group.addGroup("partition", number).gauge("arrival_lag_seconds", seconds);
    }
    partition.arrival = Math.max(partition.arrival, record.reached());
  }

  /** Written by the task, read by reporters. */
  private static final class Reached {
    private volatile long arrival = Long.MIN_VALUE;
  }
}
