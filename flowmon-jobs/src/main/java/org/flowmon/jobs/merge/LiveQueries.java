package org.flowmon.jobs.merge;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.flowmon.jobs.config.AnalysisChange;
import org.flowmon.jobs.config.AnalysisSet;
import org.flowmon.jobs.lowlevel.LiveQuery;

/** The live queries that an operator behind the low level knows, by id and as they change. */
final class LiveQueries {
  private final AnalysisSet set;
  private final Map<Long, LiveQuery> byId;

  /** The queries of these analyses, which are changed by this. */
  LiveQueries(AnalysisSet set) {
    this.set = set;
    this.byId = new HashMap<>(LiveQuery.byId(set.running()));
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
    for (LiveQuery live : byId.values()) {
      if (live.analysis().name().equals(analysis)) {
        return live;
      }
    }
    return null;
  }

  /** All of them, by id. */
  Map<Long, LiveQuery> byId() {
    return byId;
  }

  /** The ids by the names of the analyses. */
  Map<String, Long> ids() {
    Map<String, Long> ids = new HashMap<>();
    byId.forEach((id, live) -> ids.put(live.analysis().name(), id));
    return ids;
  }

  /**
   * Applies a change.
   *
   * @return the ids that are there no more; null where the change was known already
   */
  Set<Long> apply(AnalysisChange change) {
    if (!set.apply(change)) {
      return null;
    }
    Set<Long> gone = new HashSet<>(byId.keySet());
    byId.clear();
    byId.putAll(LiveQuery.byId(set.running()));
    gone.removeAll(byId.keySet());
    return gone;
  }
}
