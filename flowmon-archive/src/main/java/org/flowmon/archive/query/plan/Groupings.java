package org.flowmon.archive.query.plan;

import java.util.List;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupAnswer;
import org.flowmon.udaf.value.ResultTable;

/**
 * The groups that answer a query: its own, or those that {@link DistinctCounts} counts if it counts
 * distinct values; none for a query of single rows. All are made in one pass over the rows.
 */
public final class Groupings {
  private final FlowQuery query;
  private final DistinctCounts counts; // null if the groups are the query's own
  private final List<FlowQuery> all;

  public Groupings(FlowQuery query) {
    this.query = query;
    this.counts = DistinctCounts.of(query);
    this.all =
        !query.isAggregated() ? List.of() : counts == null ? List.of(query) : counts.groupings();
  }

  public FlowQuery query() {
    return query;
  }

  /** The queries that make the groups. */
  public List<FlowQuery> all() {
    return all;
  }

  /** The counting of the groups, null if they are the query's own. */
  public DistinctCounts counts() {
    return counts;
  }

  /** The rule by which rollups may replace rows; null if they cannot. */
  public RollupRule rollups() {
    return all.size() == 1 ? RollupRule.of(all.get(0)) : null;
  }

  /**
   * The answer.
   *
   * @param groups the complete groups of each grouping
   */
  public ResultTable finish(List<GroupTable> groups) {
    return counts == null ? new GroupAnswer(groups.get(0), query).finish() : counts.finish(groups);
  }
}
