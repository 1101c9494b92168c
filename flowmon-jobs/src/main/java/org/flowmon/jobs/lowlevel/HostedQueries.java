package org.flowmon.jobs.lowlevel;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.source.PositionedBatch;
import org.flowmon.udaf.enrich.Enrichment;
import org.flowmon.udaf.lowlevel.LowLevel;
import org.flowmon.udaf.pane.WindowSpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live queries of a low-level task, which start and stop while it runs. One that starts after
 * the first flow announces the time from which on it has seen all flows.
 */
final class HostedQueries {
  private static final Logger LOG = LoggerFactory.getLogger(HostedQueries.class);

  private final AnalysisSet set;
  private final Enrichment enrichment;
  private final int maxParallelism;
  private final int task;
  private final int tasks;
  private final Consumer<Partial> out;
  private final MetricGroup metrics;
  private final LowLevel level;
  private final TreeMap<String, List<HostedQuery>> byName = new TreeMap<>();
  // The running queries of each name that ever ran: Flink cannot remove a metric.
  private final Map<String, List<HostedQuery>> measured = new ConcurrentHashMap<>();
  private final Set<String> registered = new HashSet<>();
  private final List<Partial> announcements = new ArrayList<>();
  private List<HostedQuery> all = List.of();

  /**
   * {@code level} gives the flows; {@code set} is changed by this. {@code restored}: earlier flows
   * may have come that some queries have not seen, at {@code latest} at most; {@link
   * Long#MIN_VALUE}: none did.
   */
  HostedQueries(
      LowLevel level,
      AnalysisSet set,
      Enrichment enrichment,
      boolean restored,
      long latest,
      int maxParallelism,
      int task,
      int tasks,
      Consumer<Partial> out,
      MetricGroup metrics) {
    this.level = level;
    this.set = set;
    this.enrichment = enrichment;
    this.maxParallelism = maxParallelism;
    this.task = task;
    this.tasks = tasks;
    this.out = out;
    this.metrics = metrics;
    for (AnalysisConfig analysis : set.running()) {
      List<HostedQuery> queries =
          LiveQuery.all(analysis, enrichment).stream().map(this::host).toList();
      run(analysis.name(), queries, set.version(analysis.name()));
      if (restored) {
        // matters to those that are new since the checkpoint
        queries.forEach(query -> announceStart(query, latest));
      }
    }
  }

  void processed(PositionedBatch record) {
    for (HostedQuery query : all) {
      query.processed(record);
    }
  }

  void closed(long completeThrough) {
    for (HostedQuery query : all) {
      query.closed(completeThrough);
    }
  }

  void drained() {
    for (HostedQuery query : all) {
      query.drained();
    }
  }

  /** All groups are sent; sends all counts: nothing is kept. */
  void drainedAll() {
    for (HostedQuery query : all) {
      query.drainedAll();
    }
  }

  AnalysisSet set() {
    return set;
  }

  /** Sends what later operators need before anything else. */
  void announce() {
    if (!announcements.isEmpty()) {
      announcements.forEach(out);
      announcements.clear();
    }
  }

  /** Applies a change, unless known; no flow until now is later than {@code latest}. */
  void apply(AnalysisChange change, long latest) {
    try {
      if (!set.apply(change)) {
        return;
      }
    } catch (ConfigException e) {
      LOG.error("analysis {} is left as it was: {}", change.name(), e.getMessage());
      return;
    }
    for (int keyGroup = 0; keyGroup < maxParallelism; keyGroup++) {
      announcements.add(new Partial.Definition(keyGroup, change));
    }
    AnalysisConfig analysis = set.get(change.name());
    List<HostedQuery> before = byName.getOrDefault(change.name(), List.of());
    if (analysis == null) {
      before.forEach(HostedQuery::leave);
      byName.remove(change.name());
      measured.remove(change.name());
      listAll();
      return;
    }
    List<HostedQuery> running = new ArrayList<>();
    for (LiveQuery live : LiveQuery.all(analysis, enrichment)) {
      HostedQuery same = goesOn(live, before);
      if (same != null && same.live().analysis().live().slots() != live.analysis().live().slots()) {
        same.drainAll(); // the same query with a table of another size
        same = null;
      }
      running.add(same == null ? host(live) : same);
    }
    for (HostedQuery query : before) {
      if (!running.contains(query)) {
        query.leave();
      }
    }
    run(change.name(), running, change.version());
    // Also for a query that goes on here: the merge may have stopped it.
    running.forEach(query -> announceStart(query, latest));
  }

  /** The running query that goes on as this one; null if there is none. */
  private static @Nullable HostedQuery goesOn(LiveQuery live, List<HostedQuery> before) {
    for (HostedQuery query : before) {
      if (live.goesOn(query.live()) && !query.isStopped()) {
        return query;
      }
    }
    return null;
  }

  private HostedQuery host(LiveQuery live) {
    return new HostedQuery(live, maxParallelism, out, level);
  }

  private void run(String name, List<HostedQuery> queries, long version) {
    queries.forEach(query -> query.version(version));
    byName.put(name, queries);
    listAll();
    measured.put(name, queries);
    if (registered.add(name)) {
      HostedQuery.register(
          metrics.addGroup("analysis", name), () -> measured.getOrDefault(name, List.of()));
    }
  }

  private void listAll() {
    List<HostedQuery> queries = new ArrayList<>();
    byName.values().forEach(queries::addAll);
    all = List.copyOf(queries);
  }

  private void announceStart(HostedQuery query, long latest) {
    LiveQuery live = query.live();
    WindowSpec window = live.window();
    long firstWhole =
        latest == Long.MIN_VALUE ? latest : window.paneStart(latest) + window.slideMicros();
    announcements.add(
        new Partial.Started(
            live.keyGroup(maxParallelism),
            live.id(),
            set.version(live.analysis().name()),
            task,
            tasks,
            firstWhole));
  }

  Map<String, Long> ids() {
    Map<String, Long> ids = new HashMap<>();
    byName.forEach((name, queries) -> ids.put(name, queries.get(0).live().id()));
    return ids;
  }
}
