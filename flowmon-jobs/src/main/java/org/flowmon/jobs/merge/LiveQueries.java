package org.flowmon.jobs.merge;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.flowmon.jobs.analysis.AnalysisChange;
import org.flowmon.jobs.analysis.AnalysisConfig;
import org.flowmon.jobs.analysis.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The live queries that an operator behind the low level knows, by id and as they change. */
public final class LiveQueries {
  private static final Logger LOG = LoggerFactory.getLogger(LiveQueries.class);

  private final AnalysisSet set;
  private final Map<Long, LiveQuery> byId;
  private final Map<String, List<LiveQuery>> byName = new HashMap<>();

  /** The queries of these analyses, which are changed by this. */
  public LiveQueries(AnalysisSet set) {
    this.set = set;
    this.byId = new HashMap<>(LiveQuery.byId(set.running()));
    set.running().forEach(analysis -> byName.put(analysis.name(), LiveQuery.all(analysis)));
  }

  public AnalysisSet set() {
    return set;
  }

  /** A query, or null. */
  public LiveQuery get(long id) {
    return byId.get(id);
  }

  /** The queries of an analysis, in the order of its whole query's leaves; none where none runs. */
  public List<LiveQuery> of(String analysis) {
    return byName.getOrDefault(analysis, List.of());
  }

  /** The queries of all analyses, by name. */
  public Map<String, List<LiveQuery>> byName() {
    return byName;
  }

  /** The queries of the analysis that a query is of, that one too; none where it is not known. */
  public List<LiveQuery> besides(long id) {
    LiveQuery live = byId.get(id);
    return live == null ? List.of() : of(live.analysis().name());
  }

  /** The version of the change by which an analysis is as it is; 0: of the job's start. */
  public long version(LiveQuery live) {
    return set.version(live.analysis().name());
  }

  /** Whether a message is of the run of the query that goes on now, and not of one before. */
  public boolean isOf(Partial.Stopped stopped) {
    LiveQuery live = byId.get(stopped.queryId());
    return live != null && stopped.version() >= version(live);
  }

  /** All of them, by id. */
  public Map<Long, LiveQuery> byId() {
    return byId;
  }

  /** The ids, of the first query of each, by the names of the analyses. */
  public Map<String, Long> ids() {
    Map<String, Long> ids = new HashMap<>();
    byName.forEach((name, live) -> ids.put(name, live.get(0).id()));
    return ids;
  }

  /**
   * Applies a change. One that does not hold an analysis, as what is right has changed since it was
   * said, is left out and logged.
   *
   * @return the ids whose windows begin anew or are there no more; null where nothing changes
   */
  public Set<Long> apply(AnalysisChange change) {
    try {
      if (!set.apply(change)) {
        return null;
      }
    } catch (ConfigException e) {
      LOG.error("analysis {} is left as it was: {}", change.name(), e.getMessage());
      return null;
    }
    List<LiveQuery> before = of(change.name());
    byName.remove(change.name());
    AnalysisConfig analysis = set.get(change.name());
    List<LiveQuery> now = analysis == null ? List.of() : LiveQuery.all(analysis);
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
    return Set.copyOf(gone);
  }
}
