package org.flowmon.jobs.merge;

import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live queries that failed at run time and are stopped; the others go on. Written by the
 * operator's thread; any thread may read the size.
 */
public final class StoppedQueries {
  private static final Logger LOG = LoggerFactory.getLogger(StoppedQueries.class);

  private final String operator;
  private final Map<Long, String> names = new ConcurrentSkipListMap<>();

  public StoppedQueries(String operator) {
    this.operator = operator;
  }

  /** Stops a query that failed here, and logs it once. */
  public void add(LiveQuery live, RuntimeException cause) {
    if (add(live)) {
      LOG.error(
          "analysis {} is stopped, the others go on: its live query failed in {}: {}",
          live.analysis().name(),
          operator,
          live.query(),
          cause);
    }
  }

  /** Stops a query that failed elsewhere, or its analysis did; false if it was stopped before. */
  public boolean add(LiveQuery live) {
    return names.put(live.id(), live.analysis().name()) == null;
  }

  public boolean remove(long queryId) {
    return names.remove(queryId) != null;
  }

  public boolean contains(long queryId) {
    return names.containsKey(queryId);
  }

  public Set<Long> ids() {
    return names.keySet();
  }

  public int analyses() {
    return Set.copyOf(names.values()).size();
  }
}
