package org.flowmon.udaf;

import java.util.List;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.Query;
import org.flowmon.udaf.result.DistinctCounts;
import org.flowmon.udaf.result.GroupCollector;
import org.flowmon.udaf.result.RowLookup;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.Vector;

/** Exact queries over rows at hand, no index: for small imports, and as other engines' oracle. */
public final class FlowQueries {
  private FlowQueries() {}

  /** Without parameters, else a {@link org.flowmon.udaf.text.QueryException} names one. */
  public static ResultTable run(Iterable<? extends FlowRows> flows, Query query) {
    query.requireBound();
    return NestedQueries.answer(query, of -> answer(flows, of), () -> {});
  }

  private static ResultTable answer(Iterable<? extends FlowRows> flows, FlowQuery query) {
    CompiledPredicate filter = CompiledPredicate.of(query.where());
    int[] selection = new int[Vector.CAPACITY];
    DistinctCounts counts = DistinctCounts.of(query);
    List<FlowQuery> groupings = counts == null ? List.of(query) : counts.groupings();
    List<GroupCollector> groups =
        query.isAggregated() ? groupings.stream().map(GroupCollector::new).toList() : List.of();
    RowLookup lookup = query.isAggregated() ? null : new RowLookup(query);
    for (FlowRows rows : flows) {
      for (int from = 0; from < rows.rows(); from += Vector.CAPACITY) {
        int count = Math.min(Vector.CAPACITY, rows.rows() - from);
        int n = filter.select(rows, from, count, selection);
        for (GroupCollector collector : groups) {
          collector.add(rows, from, selection, n);
        }
        if (lookup != null) {
          lookup.add(rows, from, selection, n);
        }
      }
    }
    if (lookup != null) {
      return lookup.finish();
    }
    return counts == null
        ? groups.get(0).finish()
        : counts.finish(groups.stream().map(GroupCollector::table).toList());
  }
}
