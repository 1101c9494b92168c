package org.flowmon.jobs.site.centre;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.apache.flink.metrics.Counter;
import org.apache.flink.metrics.MetricGroup;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.site.Publication;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.LiveGroupings;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A merging job's live queries, and the publications that serve them. Those without a match are
 * counted and logged once. Not thread-safe. Metrics: {@code unserved_queries}, {@code
 * unmatched_windows}.
 */
final class MergedQueries {
  private static final Logger LOG = LoggerFactory.getLogger(MergedQueries.class);
  private static final int MAX_LOGGED = 4096;

  /** One of the group tables behind a live query. */
  record Grouping(LiveQuery live, int number) {
    TakenWindows.Use use() {
      return new TakenWindows.Use(live.id(), number);
    }
  }

  private final PublicationMatch matching = new PublicationMatch();
  private final Map<Long, LiveQuery> queries = new TreeMap<>();
  private final Map<Long, Integer> tables = new TreeMap<>();
  private final List<Grouping> groupings = new ArrayList<>(); // of all
  // Compared with the queries since either changed.
  private final Set<String> compared = new HashSet<>();
  private final Map<String, Set<TakenWindows.Use>> unserved = new TreeMap<>();
  private final Map<String, Set<Publication>> unmatched = new TreeMap<>();
  private int unmatchedLogged;
  private final Counter unservedQueries;
  private final Counter unmatchedWindows;

  MergedQueries(MetricGroup metrics) {
    unservedQueries = metrics.counter("unserved_queries");
    unmatchedWindows = metrics.counter("unmatched_windows");
  }

  /** Returns the ids of removed queries. */
  List<Long> change(List<LiveQuery> all) {
    List<Long> gone = new ArrayList<>(queries.keySet());
    queries.clear();
    tables.clear();
    groupings.clear();
    all.forEach(live -> queries.put(live.id(), live));
    for (LiveQuery live : queries.values()) {
      tables.put(live.id(), LiveGroupings.of(live.query()).tables());
      for (int number = 0; number < groupings(live); number++) {
        groupings.add(new Grouping(live, number));
      }
    }
    gone.removeAll(queries.keySet());
    matching.queriesChanged(gone);
    // A publication without a match may have one now, and the other way round.
    compared.clear();
    unserved.clear();
    unmatched.clear();
    unmatchedLogged = 0;
    return gone;
  }

  Iterable<LiveQuery> all() {
    return queries.values();
  }

  int groupings(LiveQuery live) {
    return Objects.requireNonNull(tables.get(live.id()), "an unknown query");
  }

  /** Empty if it is none that can be published. */
  Optional<FlowQuery> query(Publication publication) {
    return matching.query(publication);
  }

  /** The site's publication of a grouping's groups, if there is one. */
  Optional<Publication> chosen(MergedSite site, LiveQuery live, int grouping) {
    return site.published().keySet().stream()
        .filter(publication -> matching.serves(publication, live, grouping))
        .findFirst();
  }

  /** The first by name or, if it lacks flows of the window, the first of the same that has all. */
  private Optional<Publication> chosen(
      MergedSite site, LiveQuery live, int grouping, Publication candidate, long windowStart) {
    Optional<Publication> chosen = chosen(site, live, grouping);
    // The site may have published the candidate before its last progress.
    if (matching.serves(candidate, live, grouping)
        && (chosen.isEmpty() || candidate.compareTo(chosen.get()) < 0)) {
      chosen = Optional.of(candidate);
    }
    if (chosen.isPresent()
        && site.published().getOrDefault(chosen.get(), Long.MIN_VALUE) > windowStart) {
      for (Map.Entry<Publication, Long> other : site.published().entrySet()) {
        if (other.getValue() <= windowStart
            && standsIn(other.getKey(), chosen.get(), live, grouping)) {
          return Optional.of(other.getKey());
        }
      }
    }
    return chosen;
  }

  /** Whether windows of a publication may replace those of the chosen one. */
  boolean standsIn(Publication of, Publication chosen, LiveQuery live, int grouping) {
    return of.widthMicros() == chosen.widthMicros() && matching.serves(of, live, grouping);
  }

  List<Grouping> servedBy(MergedSite site, Publication publication, long windowStart) {
    List<Grouping> served = new ArrayList<>();
    for (Grouping of : groupings) {
      Optional<Publication> chosen = chosen(site, of.live(), of.number(), publication, windowStart);
      if (chosen.isPresent() && chosen.get().equals(publication)) {
        served.add(of);
      }
    }
    return served;
  }

  /** Logs once for each grouping that a site publishes nothing with its groups. */
  void publishes(MergedSite site, boolean hasChanged) {
    if (!compared.add(site.name()) && !hasChanged) {
      return;
    }
    Set<TakenWindows.Use> said = unserved.computeIfAbsent(site.name(), name -> new HashSet<>());
    for (Grouping of : groupings) {
      LiveQuery live = of.live();
      if (chosen(site, live, of.number()).isEmpty() && said.add(of.use())) {
        unservedQueries.inc();
        LOG.warn(
            "analysis {}: site {} publishes nothing with its groups and is missing in its reports;"
                + " without any such site there are no reports: {}",
            live.analysis().name(),
            site.name(),
            matching.lacks(site.published().keySet(), live));
      }
    }
  }

  /** Counts a window that serves no query here; logs why once for each publication. */
  void sayUnmatched(MergedSite site, Publication publication) {
    unmatchedWindows.inc();
    // Sites may publish any number of things.
    if (unmatchedLogged < MAX_LOGGED
        && unmatched.computeIfAbsent(site.name(), name -> new HashSet<>()).add(publication)) {
      unmatchedLogged++;
      LOG.warn(
          "site {}: no analysis merges its publication {}: {}: {}",
          site.name(),
          publication.analysis(),
          matching.why(publication, queries.values()),
          publication.query());
    }
  }
}
