package org.flowmon.archive.query;

import org.flowmon.udaf.group.GroupTable;

/** Takes the groups of some flows. */
@FunctionalInterface
public interface GroupSink {
  /**
   * Takes groups of one of the {@linkplain org.flowmon.udaf.result.DistinctCounts#groupings
   * groupings} of the query, or of its own as 0. The table is used again after this.
   */
  void groups(int grouping, GroupTable groups);
}
