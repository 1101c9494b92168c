package org.flowmon.jobs.merge;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import org.flowmon.jobs.config.AnalysisChange;
import org.flowmon.jobs.config.AnalysisConfig;
import org.flowmon.jobs.config.AnalysisSet;
import org.flowmon.jobs.config.ConfigException;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.flowmon.jobs.lowlevel.Partial;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The live queries that an operator behind the low level knows, by id and as they change. */
final class LiveQueries {
  private static final Logger LOG = LoggerFactory.getLogger(LiveQueries.class);

  private final AnalysisSet set;
  private final Map<Long, LiveQuery> byId;
  private final Map<String, LiveQuery> byName = new HashMap<>();

  /** The queries of these analyses, which are changed by this. */
  LiveQueries(AnalysisSet set) {
    this.set = set;
    this.byId = new HashMap<>(LiveQuery.byId(set.running()));
    byId.values().forEach(live -> byName.put(live.analysis().name(), live));
  }

  AnalysisSet set() {
    return set;
  }

  /** A query, or null. */
  LiveQuery get(long id) {
    return byId.get(id);
  }

  /** The query of an analysis, or null where none of that name runs. */
  LiveQuery of(String analysis) {
    return byName.get(analysis);
  }

  /** The version of the change by which an analysis is as it is; 0: of the job's start. */
  long version(LiveQuery live) {
    return set.version(live.analysis().name());
  }

  /** Whether a message is of the run of the query that goes on now, and not of one before. */
  boolean isOf(Partial.Stopped stopped) {
    LiveQuery live = byId.get(stopped.queryId());
    return live != null && stopped.version() >= version(live);
  }

  /** All of them, by id. */
  Map<Long, LiveQuery> byId() {
    return byId;
  }

  /** The ids by the names of the analyses. */
  Map<String, Long> ids() {
    Map<String, Long> ids = new HashMap<>();
    byName.forEach((name, live) -> ids.put(name, live.id()));
    return ids;
  }

  /**
   * Applies a change. One that does not hold an analysis, as what is right has changed since it was
   * said, is left out and logged.
   *
   * @return the ids whose windows begin anew or are there no more; null where nothing changes
   */
  Set<Long> apply(AnalysisChange change) {
    try {
      if (!set.apply(change)) {
        return null;
      }
    } catch (ConfigException e) {
      LOG.error("analysis {} is left as it was: {}", change.name(), e.getMessage());
      return null;
    }
    LiveQuery before = byName.remove(change.name());
    AnalysisConfig analysis = set.get(change.name());
    LiveQuery now = analysis == null ? null : LiveQuery.of(analysis);
    if (before != null) {
      byId.remove(before.id());
    }
    if (now != null) {
      byName.put(change.name(), now);
      byId.put(now.id(), now);
    }
    boolean goesOn = before == null || (now != null && now.goesOn(before));
    return goesOn ? Set.of() : Set.of(before.id());
  }
}
