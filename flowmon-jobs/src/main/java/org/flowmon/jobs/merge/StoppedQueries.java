package org.flowmon.jobs.merge;

import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import org.flowmon.jobs.lowlevel.LiveQuery;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The live queries that failed at run time: they are stopped and the others go on. Written by the
 * operator's thread; the size may be read by any.
 */
final class StoppedQueries {
  private static final Logger LOG = LoggerFactory.getLogger(StoppedQueries.class);

  private final String operator;
  private final Set<Long> ids = new ConcurrentSkipListSet<>();

  /** None yet, in an operator of this name. */
  StoppedQueries(String operator) {
    this.operator = operator;
  }

  /** Stops a query that failed here, and says so once. */
  void add(LiveQuery live, RuntimeException cause) {
    if (ids.add(live.id())) {
      LOG.error(
          "analysis {} is stopped, the others go on: its live query failed in {}: {}",
          live.analysis().name(),
          operator,
          live.query(),
          cause);
    }
  }

  /** Stops a query that failed elsewhere; whether it ran until now. */
  boolean add(long queryId) {
    return ids.add(queryId);
  }

  /** Lets a query run again; whether it was stopped. */
  boolean remove(long queryId) {
    return ids.remove(queryId);
  }

  boolean contains(long queryId) {
    return ids.contains(queryId);
  }

  Set<Long> ids() {
    return ids;
  }

  int size() {
    return ids.size();
  }
}
