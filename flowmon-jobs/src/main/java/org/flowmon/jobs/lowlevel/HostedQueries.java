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
import org.flowmon.jobs.config.AnalysisChange;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.udaf.table.SharedEvaluation;
import org.flowmon.udaf.table.WindowSpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live queries of one task of the low level, which come and go while it runs. What comes later
 * than the task's first flow says from where on it has seen all of them.
 */
final class HostedQueries {
  private static final Logger LOG = LoggerFactory.getLogger(HostedQueries.class);

  private final AnalysisSet set;
  private final int maxParallelism;
  private final int task;
  private final int tasks;
  private final Consumer<Partial> out;
  private final MetricGroup metrics;
  // What queries have in common is evaluated once; that of queries that go is forgotten.
  private final SharedEvaluation evaluation = new SharedEvaluation();
  private final TreeMap<String, List<HostedQuery>> byName = new TreeMap<>();
  // The queries that run with each name that ever ran: metrics cannot be taken back.
  private final Map<String, List<HostedQuery>> measured = new ConcurrentHashMap<>();
  private final Set<String> registered = new HashSet<>();
  private final List<Partial> announcements = new ArrayList<>();
  private List<HostedQuery> all = List.of();

  /**
   * The queries of a task that begins.
   *
   * @param set those that run, to be changed by this
   * @param restored whether flows may have come before, which not all of the queries were given
   * @param latest the latest time that any flow before can have had; {@link Long#MIN_VALUE}: there
   *     were none
   */
  HostedQueries(
      AnalysisSet set,
      boolean restored,
      long latest,
      int maxParallelism,
      int task,
      int tasks,
      Consumer<Partial> out,
      MetricGroup metrics) {
    this.set = set;
    this.maxParallelism = maxParallelism;
    this.task = task;
    this.tasks = tasks;
    this.out = out;
    this.metrics = metrics;
    for (AnalysisConfig analysis : set.running()) {
      List<HostedQuery> queries = LiveQuery.all(analysis).stream().map(this::host).toList();
      run(analysis.name(), queries, set.version(analysis.name()));
      if (restored) {
        // counts for those that are new since the checkpoint
        queries.forEach(query -> announceStart(query, latest));
      }
    }
  }

  /** The queries, in the order of their analyses' names. */
  List<HostedQuery> all() {
    return all;
  }

  AnalysisSet set() {
    return set;
  }

  /** Sends what those that follow must know before anything else. */
  void announce() {
    if (!announcements.isEmpty()) {
      announcements.forEach(out);
      announcements.clear();
    }
  }

  /**
   * Applies a change; nothing where it is known.
   *
   * @param latest the latest time that any of the flows until now can have had
   */
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
    if (analysis == null) {
      byName.remove(change.name());
      measured.remove(change.name());
      listAll();
      return;
    }
    List<HostedQuery> running = new ArrayList<>();
    for (LiveQuery live : LiveQuery.all(analysis)) {
      HostedQuery before = goesOn(live);
      if (before != null
          && before.live().analysis().live().slots() != live.analysis().live().slots()) {
        before.drainAll(); // the same query with a table of another size
        before = null;
      }
      running.add(before == null ? host(live) : before);
    }
    run(change.name(), running, change.version());
    // Also of one that goes on here: it may have been stopped where groups are merged.
    running.forEach(query -> announceStart(query, latest));
  }

  /** The query that runs and goes on as this one, null where there is none. */
  private HostedQuery goesOn(LiveQuery live) {
    for (HostedQuery before : byName.getOrDefault(live.analysis().name(), List.of())) {
      if (live.goesOn(before.live()) && !before.isStopped()) {
        return before;
      }
    }
    return null;
  }

  private HostedQuery host(LiveQuery live) {
    return new HostedQuery(live, maxParallelism, out, evaluation);
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

  /** The ids of the queries, the first of each, by the names of their analyses. */
  Map<String, Long> ids() {
    Map<String, Long> ids = new HashMap<>();
    byName.forEach((name, queries) -> ids.put(name, queries.get(0).live().id()));
    return ids;
  }
}
