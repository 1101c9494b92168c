package org.flowmon.jobs.window;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import java.util.TreeMap;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.apache.flink.metrics.groups.UnregisteredMetricsGroup;
import org.flowmon.jobs.lowlevel.ArrivalCounts;
import org.flowmon.jobs.merge.WindowResult;
import org.flowmon.udaf.value.ResultTable;
import org.junit.jupiter.api.Test;

class ReductionMetricsTest {
  /** Keeps the gauges of all groups, by analysis and name. */
  private static final class Gauges extends UnregisteredMetricsGroup {
    private final String prefix;
    private final Map<String, Gauge<?>> all;

    Gauges(String prefix, Map<String, Gauge<?>> all) {
      this.prefix = prefix;
      this.all = all;
    }

    @Override
    public MetricGroup addGroup(String key, String value) {
      return new Gauges(value + ".", all);
    }

    @Override
    public <T, G extends Gauge<T>> G gauge(String name, G gauge) {
      all.put(prefix + name, gauge);
      return gauge;
    }
  }

  private static final ResultTable NONE = new ResultTable.Builder().build();

  private static WindowResult window(String analysis, long flows, long groups) {
    return new WindowResult(analysis, 0, 1, NONE, NONE, groups, new ArrivalCounts(flows, 1, 2, 3));
  }

  @Test
  void flowsAndGroupsOfAllWindowsOfAnAnalysisAreAddedUp() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    ReductionMetrics metrics = new ReductionMetrics(new Gauges("", gauges));
    metrics.add(window("mice", 10, 4), 10_000_000);
    metrics.add(window("mice", 20, 8), 10_000_000);
    metrics.add(window("elephants", 7, 0), 10_000_000);
    assertEquals(30L, gauges.get("mice.window_flows").getValue());
    assertEquals(12L, gauges.get("mice.window_groups").getValue());
    assertEquals(2.5, gauges.get("mice.flows_per_group").getValue());
    assertEquals(0.0, gauges.get("elephants.flows_per_group").getValue());
    assertEquals(12, gauges.size());
  }

  @Test
  void groupsThatWereLeftOutAreCountedAsEstimatedAndWindowsWithoutAnyNotAtAll() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    ReductionMetrics metrics = new ReductionMetrics(new Gauges("", gauges));
    metrics.add(sampled(1000, 8 * 40, 3), 10_000_000);
    assertEquals(3, gauges.get("mice.group_sampling_level").getValue());
    assertEquals(7L * 40, gauges.get("mice.dropped_groups").getValue());
    assertEquals(8L * 40, gauges.get("mice.window_groups").getValue());
    metrics.add(sampled(500, WindowResult.UNKNOWN_GROUPS, WindowResult.NO_GROUPS), 10_000_000);
    assertEquals(17, gauges.get("mice.group_sampling_level").getValue());
    assertEquals(1000L, gauges.get("mice.window_flows").getValue());
    metrics.add(window("mice", 5, 5), 10_000_000);
    assertEquals(0, gauges.get("mice.group_sampling_level").getValue());
    assertEquals(7L * 40, gauges.get("mice.dropped_groups").getValue());
  }

  private static WindowResult sampled(long flows, long groups, int level) {
    ArrivalCounts counts = new ArrivalCounts(flows, 0, 0, 0);
    return new WindowResult("mice", null, 0, 1, 0, 1, 1, NONE, NONE, groups, level, counts);
  }

  @Test
  void theRecommendedWindowIsTheShortestInWhichAGroupCanHaveTenFlows() {
    Map<String, Gauge<?>> gauges = new TreeMap<>();
    ReductionMetrics metrics = new ReductionMetrics(new Gauges("", gauges));
    metrics.add(window("mice", 30, 10), 10_000_000); // 3 flows: 33.3 s
    metrics.add(window("few", 10, 10), 60_000_000); // 1 flow: 10 minutes
    metrics.add(window("fit", 100, 10), 10_000_000);
    metrics.add(window("many", 400, 10), 10_000_000); // 2.5 s
    metrics.add(window("huge", 1_000_000, 10), 10_000_000);
    metrics.add(window("never", 101, 100), 3_600_000_000L);
    metrics.add(window("none", 0, 0), 10_000_000);
    Map<String, Long> found = new TreeMap<>();
    gauges.forEach(
        (name, gauge) -> {
          if (name.endsWith(".recommended_window_ms")) {
            found.put(name.replace(".recommended_window_ms", ""), (Long) gauge.getValue());
          }
        });
    assertEquals(
        Map.of(
            "mice", 60_000L, "few", 600_000L, "fit", 10_000L, "many", 3_000L, "huge", 1_000L,
            "never", -1L, "none", 0L),
        found);
  }
}
