package org.flowmon.jobs.lowlevel;

import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.table.LowLevelCounts;
import org.flowmon.udaf.table.LowLevelQuery;
import org.flowmon.udaf.table.SharedEvaluation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One live query within the low level: its table, and what arrived for it by pane.
 *
 * <p>A query that fails at run time is stopped, and no other with it: the failure is logged, {@link
 * Partial.Stopped} goes out, and nothing after it. What fails on the way out is no failure of the
 * query and is thrown on.
 */
final class HostedQuery {
  private static final Logger LOG = LoggerFactory.getLogger(HostedQuery.class);

  private final LiveQuery live;
  private final Consumer<Partial> out;
  private final int countsKeyGroup;
  private long version;
  private final Map<Long, ArrivalCounts> arrivals = new TreeMap<>();
  // Null once the query is stopped.
  private LowLevelQuery table;
  private volatile LowLevelCounts counts;
  private volatile boolean stopped;
  private RuntimeException failureOfOutput;

  /**
   * A query that nothing has come for.
   *
   * @param evaluation what the queries of one operator find out once
   */
  HostedQuery(
      LiveQuery live, int maxParallelism, Consumer<Partial> out, SharedEvaluation evaluation) {
    this.live = live;
    this.out = out;
    this.table =
        new LowLevelQuery(
            live.id(),
            live.query(),
            live.window(),
            live.analysis().live().slots(),
            maxParallelism,
            (keyGroup, bytes) -> send(new Partial.Groups(keyGroup, bytes)),
            evaluation);
    this.countsKeyGroup = live.keyGroup(maxParallelism);
    this.counts = table.counts();
  }

  /**
   * Registers the metrics of the queries that run with a name, added up.
   *
   * @param running gives these queries
   */
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
    metrics.gauge("stopped", () -> running.get().stream().anyMatch(query -> query.stopped) ? 1 : 0);
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

  /** Notes the version of the change by which the query runs from now on. */
  void version(long ofChange) {
    version = ofChange;
  }

  private void send(Partial partial) {
    try {
      out.accept(partial);
    } catch (RuntimeException e) {
      failureOfOutput = e;
      throw e;
    }
  }

  /** Whether the query has failed. */
  boolean isStopped() {
    return stopped;
  }

  /** Runs work of the query; false where it failed, or had failed before. */
  private boolean run(Runnable work) {
    if (stopped) {
      return false;
    }
    try {
      work.run();
      return true;
    } catch (RuntimeException e) {
      if (e == failureOfOutput) {
        throw e;
      }
      stop(e);
      return false;
    }
  }

  private void stop(RuntimeException cause) {
    stopped = true;
    table = null;
    arrivals.clear();
    LOG.error(
        "analysis {} is stopped, the others go on: its live query failed at the low level: {}",
        live.analysis().name(),
        live.query(),
        cause);
    send(new Partial.Stopped(countsKeyGroup, live.id(), version));
  }

  void process(PositionedBatch record) {
    run(() -> take(record));
  }

  private void take(PositionedBatch record) {
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
              record.lostBefore(),
              table.sampledOfBatch(),
              table.samplingRateOfBatch());
    }
    if (!arrived.equals(ArrivalCounts.NONE)) {
      long pane = live.window().paneStart(record.batch().maxArrival());
      arrivals.merge(pane, arrived, ArrivalCounts::plus);
    }
  }

  /** Closes panes; their groups go out with {@link #drainSome}, their counts at once. */
  void closePanesUpTo(long completeThrough) {
    run(() -> close(completeThrough));
  }

  private void close(long completeThrough) {
    table.closePanesUpTo(completeThrough);
    Iterator<Map.Entry<Long, ArrivalCounts>> panes = arrivals.entrySet().iterator();
    while (panes.hasNext()) {
      Map.Entry<Long, ArrivalCounts> pane = panes.next();
      if (pane.getKey() + live.window().slideMicros() > completeThrough) {
        break;
      }
      send(new Partial.Counts(countsKeyGroup, live.id(), pane.getKey(), pane.getValue()));
      panes.remove();
    }
  }

  /** Sends some of the closed panes' groups; whether all are out, as {@link #isDrained}. */
  boolean drainSome(int slots) {
    run(
        () -> {
          table.drainSome(slots);
          counts = table.counts();
        });
    return isDrained();
  }

  boolean isDrained() {
    return stopped || table.isDrained();
  }

  /** Sends all away: nothing is kept. */
  void drainAll() {
    run(
        () -> {
          table.drainAll();
          counts = table.counts();
          arrivals.forEach(
              (pane, arrived) ->
                  send(new Partial.Counts(countsKeyGroup, live.id(), pane, arrived)));
          arrivals.clear();
        });
  }
}
