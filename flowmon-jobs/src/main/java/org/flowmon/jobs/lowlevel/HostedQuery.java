package org.flowmon.jobs.lowlevel;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.lowlevel.FirstPanes;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.lowlevel.LowLevelCounts;
import org.flowmon.udaf.lowlevel.LowLevelMember;
import org.flowmon.udaf.lowlevel.LowLevelTuning;
import org.flowmon.udaf.tuning.TableSize;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One live query within the low level: its output, and its arrival counts by pane. One that fails
 * at run time is stopped and no other: it is logged, {@link Partial.Stopped} goes out and nothing
 * after it. A failure of the output is thrown on.
 */
final class HostedQuery {
  private static final Logger LOG = LoggerFactory.getLogger(HostedQuery.class);

  /** The most panes whose counts are held between two batches; above, they are sent at once. */
  static final int MAX_COUNTS = 1 << 16;

  private final LiveQuery live;
  private final Consumer<Partial> out;
  private final int countsKeyGroup;
  private final LowLevel level;
  private final LowLevelMember member;
  private long version;
  private final Map<Long, ArrivalCounts> arrivals = new TreeMap<>();
  private final FirstPanes first = new FirstPanes();
  private volatile LowLevelCounts counts;
  private volatile LowLevelTuning tuning;
  private volatile boolean stopped;

  HostedQuery(LiveQuery live, int maxParallelism, Consumer<Partial> out, LowLevel level) {
    this.live = live;
    this.out = out;
    this.level = level;
    this.member =
        level.add(
            live.id(),
            live.query(),
            live.window(),
            TableSize.upTo(live.analysis().live().slots()),
            maxParallelism,
            (keyGroup, bytes) -> out.accept(new Partial.Groups(keyGroup, bytes)));
    this.countsKeyGroup = live.keyGroup(maxParallelism);
    this.counts = member.counts();
    this.tuning = member.tuning();
  }

  /** Registers the metrics of a name, summed over its running queries. */
  static void register(MetricGroup metrics, Supplier<List<HostedQuery>> running) {
    gauge(metrics, "selected_flows", running, LowLevelCounts::selected);
    gauge(metrics, "late_flows", running, LowLevelCounts::late);
    gauge(metrics, "partly_late_flows", running, LowLevelCounts::partlyLate);
    gauge(metrics, "ahead_flows", running, LowLevelCounts::ahead);
    gauge(metrics, "behind_watermark_flows", running, LowLevelCounts::behindWatermark);
    gauge(metrics, "evictions", running, LowLevelCounts::evictions);
    gauge(metrics, "passed_rows", running, LowLevelCounts::passedRows);
    gauge(metrics, "partials", running, LowLevelCounts::partials);
    gauge(metrics, "partial_messages", running, LowLevelCounts::messages);
    metrics.gauge("rows_per_partial", () -> rowsPerPartial(running.get()));
    ofTables(metrics, "table_slots", running, LowLevelTuning::slots);
    ofTables(metrics, "table_resizes", running, LowLevelTuning::resizes);
    ofTables(metrics, "low_half_trials", running, LowLevelTuning::trials);
    ofTables(metrics, "low_half_switches", running, LowLevelTuning::switches);
    metrics.gauge(
        "low_halves",
        () ->
            running.get().stream()
                .map(query -> query.tuning.lowHalves())
                .filter(chosen -> !chosen.isEmpty())
                .collect(Collectors.joining("; ")));
    metrics.gauge("stopped", () -> running.get().stream().anyMatch(query -> query.stopped) ? 1 : 0);
  }

  private static void ofTables(
      MetricGroup metrics,
      String name,
      Supplier<List<HostedQuery>> running,
      ToLongFunction<LowLevelTuning> value) {
    metrics.gauge(
        name,
        () -> running.get().stream().mapToLong(query -> value.applyAsLong(query.tuning)).sum());
  }

  private static double rowsPerPartial(List<HostedQuery> running) {
    long rows = 0;
    long partials = 0;
    for (HostedQuery query : running) {
      LowLevelCounts counts = query.counts;
      rows += counts.counted();
      partials += counts.partials();
    }
    return partials == 0 ? 0 : rows / (double) partials;
  }

  private static void gauge(
      MetricGroup metrics,
      String name,
      Supplier<List<HostedQuery>> running,
      ToLongFunction<LowLevelCounts> value) {
    metrics.gauge(
        name,
        () -> running.get().stream().mapToLong(query -> value.applyAsLong(query.counts)).sum());
  }

  LiveQuery live() {
    return live;
  }

  void version(long ofChange) {
    version = ofChange;
  }

  boolean isStopped() {
    return stopped;
  }

  void leave() {
    level.remove(member);
  }

  /** Takes over the low level's results; false if the query has failed, there or before. */
  private boolean goesOn() {
    if (!stopped && member.failure() != null) {
      stop(member.failure());
    }
    return !stopped;
  }

  private void stop(RuntimeException cause) {
    stopped = true;
    leave();
    arrivals.clear();
    LOG.error(
        "analysis {} is stopped, the others go on: its live query failed at the low level: {}",
        live.analysis().name(),
        live.query(),
        cause);
    out.accept(new Partial.Stopped(countsKeyGroup, live.id(), version));
  }

  void processed(PositionedBatch record) {
    if (!goesOn()) {
      return;
    }
    if (record.batch().rows() > 0) {
      counts = member.counts();
      member.arrivalsOfBatch(
          (pane, flows, late, ahead, sampled, rate) ->
              arrived(pane, new ArrivalCounts(flows, late, ahead, 0, sampled, rate)));
    }
    // The time of a loss is unknown: lost flows count when they are reported.
    long told = live.window().arrivalPane(record.told());
    arrived(told, new ArrivalCounts(0, 0, 0, record.lostBefore()));
    if (arrivals.size() > MAX_COUNTS) {
      sendCounts();
    }
  }

  private void arrived(long pane, ArrivalCounts more) {
    if (!more.equals(ArrivalCounts.NONE)) {
      // Counts that would open one window too many go to the nearest open pane: none is dropped.
      boolean isOpen = first.open(live.window(), pane);
      arrivals.merge(isOpen ? pane : first.nearest(pane), more, ArrivalCounts::plus);
    }
  }

  private void sendCounts() {
    arrivals.forEach(
        (pane, arrived) ->
            out.accept(new Partial.Counts(countsKeyGroup, live.id(), pane, arrived)));
    arrivals.clear();
  }

  void closed(long completeThrough) {
    first.timeIsKnown();
    if (!goesOn()) {
      return;
    }
    tuning = member.tuning();
    Iterator<Map.Entry<Long, ArrivalCounts>> panes = arrivals.entrySet().iterator();
    while (panes.hasNext()) {
      Map.Entry<Long, ArrivalCounts> pane = panes.next();
      if (pane.getKey() + live.window().slideMicros() > completeThrough) {
        break;
      }
      out.accept(new Partial.Counts(countsKeyGroup, live.id(), pane.getKey(), pane.getValue()));
      panes.remove();
    }
  }

  void drained() {
    if (goesOn()) {
      counts = member.counts();
    }
  }

  void drainedAll() {
    if (goesOn()) {
      counts = member.counts();
      tuning = member.tuning();
      sendCounts();
    }
  }

  void drainAll() {
    level.drainAll(member);
    drainedAll();
  }
}
