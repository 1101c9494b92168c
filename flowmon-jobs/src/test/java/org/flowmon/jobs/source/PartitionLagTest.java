package org.flowmon.jobs.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.junit.jupiter.api.Test;

class PartitionLagTest {
  private final Map<String, Gauge<?>> gauges = new TreeMap<>();
  private long now = 100_000_000;

  /** Keeps gauges by the partition of their group. */
  private final class Group extends UnregisteredMetricsGroup {
    private final String partition;

    private Group(String partition) {
      this.partition = partition;
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      assertEquals("partition", key);
      return new Group(value);
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
      gauges.put(partition + "." + name, gauge);
      return gauge;
    }
  }

  private static PositionedBatch beat(String key, long arrival) {
    return new PositionedBatch(key, 0, FlowBatch.open(Heartbeat.of(1, 0, 0, 0, arrival)), 0);
  }

  @Test
  void aPartitionIsAsFarBehindAsItsLargestArrival() {
    PartitionLag lag = new PartitionLag(new Group(""), () -> now);
    lag.reached(beat("topic:0", 90_000_000));
    lag.reached(beat("topic:12", 99_500_000));
    lag.reached(beat("topic:0", 80_000_000)); // another producer, further back
    now += 1_000_000;
    assertEquals(2, gauges.size(), gauges.toString());
    assertEquals(11.0, gauges.get("0.arrival_lag_seconds").getValue());
    assertEquals(1.5, gauges.get("12.arrival_lag_seconds").getValue());
  }
}
