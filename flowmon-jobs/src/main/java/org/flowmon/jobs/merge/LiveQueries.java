package org.flowmon.jobs.merge;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.flowmon.udaf.enrich.Enrichment;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The live queries known to an operator after the low level, by id, with their changes. */
public final class LiveQueries {
  private static final Logger LOG = LoggerFactory.getLogger(LiveQueries.class);

  private final AnalysisSet set;
  private final Enrichment enrichment;
  private final Map<Long, LiveQuery> byId;
  private final Map<String, List<LiveQuery>> byName = new HashMap<>();

  /** The set is changed by this. */
  public LiveQueries(AnalysisSet set, Enrichment enrichment) {
    this.set = set;
    this.enrichment = enrichment;
    this.byId = new HashMap<>(LiveQuery.byId(set.running(), enrichment));
    set.running()
        .forEach(analysis -> byName.put(analysis.name(), LiveQuery.all(analysis, enrichment)));
  }

  public AnalysisSet set() {
    return set;
  }

  public Optional<LiveQuery> get(long id) {
    return Optional.ofNullable(byId.get(id));
  }

  /** In the order of the whole query's leaves; none if the analysis does not run. */
  public List<LiveQuery> of(String analysis) {
    return byName.getOrDefault(analysis, List.of());
  }

  public Map<String, List<LiveQuery>> byName() {
    return byName;
  }

  /** The queries of its analysis, itself included; none if it is unknown. */
  public List<LiveQuery> besides(long id) {
    LiveQuery live = byId.get(id);
    return live == null ? List.of() : of(live.analysis().name());
  }

  /** The version of the analysis's last change; 0: that of the job's start. */
  public long version(LiveQuery live) {
    return set.version(live.analysis().name());
  }

  /** Whether a message belongs to the present run of its query, not to an earlier one. */
  public boolean isOf(Partial.Stopped stopped) {
    LiveQuery live = byId.get(stopped.queryId());
    return live != null && stopped.version() >= version(live);
  }

  public Map<Long, LiveQuery> byId() {
    return byId;
  }

  /** The id of each analysis's first query, by the analysis's name. */
  public Map<String, Long> ids() {
    Map<String, Long> ids = new HashMap<>();
    byName.forEach((name, live) -> ids.put(name, live.get(0).id()));
    return ids;
  }

  /**
   * Returns the ids of queries whose windows begin anew or end; empty if nothing changes. An
   * analysis that is not valid any more, as rules have changed, is left out and logged.
   */
  public Optional<Set<Long>> apply(AnalysisChange change) {
    try {
      if (!set.apply(change)) {
        return Optional.empty();
      }
    } catch (ConfigException e) {
      LOG.error("analysis {} is left as it was: {}", change.name(), e.getMessage());
      return Optional.empty();
    }
    List<LiveQuery> before = of(change.name());
    byName.remove(change.name());
    AnalysisConfig analysis = set.get(change.name());
    List<LiveQuery> now = analysis == null ? List.of() : LiveQuery.all(analysis, enrichment);
    before.forEach(live -> byId.remove(live.id()));
    now.forEach(live -> byId.put(live.id(), live));
    if (!now.isEmpty()) {
      byName.put(change.name(), now);
    }
    Set<Long> gone = new HashSet<>();
    for (LiveQuery live : before) {
      if (now.stream().noneMatch(one -> one.goesOn(live))) {
        gone.add(live.id());
      }
    }
    return Optional.of(Set.copyOf(gone));
  }
}
