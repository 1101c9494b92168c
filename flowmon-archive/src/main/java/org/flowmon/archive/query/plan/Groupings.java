package org.flowmon.archive.query.plan;

import java.util.List;
import java.util.Optional;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.result.DistinctCounts;

/**
 * The groups that answer a query: its own, or those that {@link DistinctCounts} counts if it counts
 * distinct values; none for single rows. All are made in one pass over the rows.
 */
public final class Groupings {
  private final Optional<DistinctCounts> counts;
  private final List<FlowQuery> all;

  public Groupings(FlowQuery query) {
    this.counts = Optional.ofNullable(DistinctCounts.of(query));
    this.all =
        query.isAggregated()
            ? counts.map(DistinctCounts::groupings).orElse(List.of(query))
            : List.of();
  }

  public List<FlowQuery> all() {
    return all;
  }

  /** Empty if the groups are the query's own. */
  public Optional<DistinctCounts> counts() {
    return counts;
  }

  /** Empty if rollups cannot replace rows. */
  public Optional<RollupRule> rollups() {
    return all.size() == 1 ? RollupRule.of(all.get(0)) : Optional.empty();
  }
}
