package org.flowmon.jobs.lowlevel;

import java.util.Iterator;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.table.LowLevelCounts;
import org.flowmon.udaf.table.LowLevelQuery;

/** One live query within the low level: its table, and what arrived for it by pane. */
final class HostedQuery {
  private final LiveQuery live;
  private final LowLevelQuery table;
  private final int countsKeyGroup;
  private final Map<Long, ArrivalCounts> arrivals = new TreeMap<>();
  private LowLevelCounts counts;

  HostedQuery(LiveQuery live, int maxParallelism, Consumer<Partial> out, MetricGroup metrics) {
    this.live = live;
    this.table =
        new LowLevelQuery(
            live.id(),
            live.query(),
            live.window(),
            live.analysis().live().slots(),
            maxParallelism,
            (keyGroup, bytes) -> out.accept(new Partial.Groups(keyGroup, bytes)));
    this.countsKeyGroup = Math.floorMod(live.id(), maxParallelism);
    this.counts = table.counts();
    metrics.gauge("selected_flows", () -> counts.selected());
    metrics.gauge("late_flows", () -> counts.late());
    metrics.gauge("partly_late_flows", () -> counts.partlyLate());
    metrics.gauge("ahead_flows", () -> counts.ahead());
    metrics.gauge("behind_watermark_flows", () -> counts.behindWatermark());
    metrics.gauge("evictions", () -> counts.evictions());
    metrics.gauge("partials", () -> counts.partials());
    metrics.gauge("partial_messages", () -> counts.messages());
  }

  void process(PositionedBatch record) {
    ArrivalCounts arrived = new ArrivalCounts(0, 0, 0, record.lostBefore());
    if (record.batch().rows() > 0) {
      table.process(record.batch());
      LowLevelCounts before = counts;
      counts = table.counts();
      arrived =
          new ArrivalCounts(
              counts.selected() - before.selected(),
              counts.late() - before.late(),
              counts.ahead() - before.ahead(),
              record.lostBefore());
    }
    if (!arrived.equals(ArrivalCounts.NONE)) {
      long pane = live.window().paneStart(record.batch().maxArrival());
      arrivals.merge(pane, arrived, ArrivalCounts::plus);
    }
  }

  /** Closes panes; their groups go out with {@link #drainSome}, their counts at once. */
  void closePanesUpTo(long completeThrough, Consumer<Partial> out) {
    table.closePanesUpTo(completeThrough);
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

  boolean drainSome(int slots) {
    boolean drained = table.drainSome(slots);
    counts = table.counts();
    return drained;
  }

  boolean isDrained() {
    return table.isDrained();
  }

  /** Sends all away: nothing is kept. */
  void drainAll(Consumer<Partial> out) {
    table.drainAll();
    counts = table.counts();
    arrivals.forEach(
        (pane, arrived) ->
            out.accept(new Partial.Counts(countsKeyGroup, live.id(), pane, arrived)));
    arrivals.clear();
  }
}
