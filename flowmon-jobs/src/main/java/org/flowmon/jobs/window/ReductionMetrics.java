package org.flowmon.jobs.window;

import java.util.HashMap;
import java.util.Map;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.merge.WindowResult;

/**
 * Flows per group in published windows, by analysis: a window's cost beyond its flows depends on
 * its groups, so this tells if it is long enough. Also the groups left out above the limit.
 */
final class ReductionMetrics {
  private final MetricGroup metrics;
  private final Map<String, Sums> analyses = new HashMap<>();

  /** Since the task began; written by the task, read by reporters. */
  private static final class Sums {
    private volatile long flows;
    private volatile long groups;
    private volatile long ownMicros;
    private volatile long dropped;
    private volatile int level;

    double flowsPerGroup() {
      long made = groups;
      return made == 0 ? 0 : flows / (double) made;
    }

    /** In milliseconds; 0 if nothing is known yet, −1 if not even the longest is enough. */
    long recommendedWindow() {
      double ratio = flowsPerGroup();
      if (ratio == 0) {
        return 0;
      }
      long micros = WindowLengths.recommended(ownMicros, ratio);
      return micros == 0 ? -1 : micros / 1000;
    }
  }

  ReductionMetrics(MetricGroup metrics) {
    this.metrics = metrics;
  }

  // One thread writes; others see its sums, if not at once.
  @SuppressWarnings("NonAtomicVolatileUpdate")
  void add(WindowResult window, long ownMicros) {
    Sums sums = analyses.computeIfAbsent(window.analysis(), this::register);
    if (!window.hasGroups()) {
      return; // its flows are in the groups of other windows, or in none
    }
    sums.level = window.groupLevel();
    sums.ownMicros = ownMicros;
    if (window.groups() == WindowResult.UNKNOWN_GROUPS) {
      return;
    }
    sums.flows += window.counts().flows();
    sums.groups += window.groups();
    sums.dropped += window.groups() - (window.groups() >> window.groupLevel());
  }

  private Sums register(String analysis) {
    Sums sums = new Sums();
    MetricGroup group = metrics.addGroup("analysis", analysis);
    group.gauge("window_flows", (Gauge<Long>) () -> sums.flows);
    group.gauge("window_groups", (Gauge<Long>) () -> sums.groups);
    group.gauge("flows_per_group", (Gauge<Double>) sums::flowsPerGroup);
    group.gauge("recommended_window_ms", (Gauge<Long>) sums::recommendedWindow);
    group.gauge("group_sampling_level", (Gauge<Integer>) () -> sums.level);
    group.gauge("dropped_groups", (Gauge<Long>) () -> sums.dropped);
    return sums;
  }
}
