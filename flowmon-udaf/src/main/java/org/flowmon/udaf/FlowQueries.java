package org.flowmon.udaf;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;
import org.flowmon.udaf.table.GroupCollector;
import org.flowmon.udaf.table.RowLookup;

/**
 * Runs queries over rows at hand, exactly and without any index: for small imports, and as what
 * others must equal.
 */
public final class FlowQueries {
  private FlowQueries() {}

  /**
   * The answer of a query over all rows of some batches or segments.
   *
   * @param query without parameters
   * @throws org.flowmon.udaf.query.QueryException naming a parameter that has no value
   */
  public static ResultTable run(Iterable<? extends FlowRows> flows, FlowQuery query) {
    CompiledPredicate filter = CompiledPredicate.of(query.where());
    int[] selection = new int[Vector.CAPACITY];
    GroupCollector groups = query.isAggregated() ? new GroupCollector(query) : null;
    RowLookup lookup = query.isAggregated() ? null : new RowLookup(query);
    for (FlowRows rows : flows) {
      for (int from = 0; from < rows.rows(); from += Vector.CAPACITY) {
        int count = Math.min(Vector.CAPACITY, rows.rows() - from);
        int n = filter.select(rows, from, count, selection);
        if (groups != null) {
          groups.add(rows, from, selection, n);
        } else {
          lookup.add(rows, from, selection, n);
        }
      }
    }
    return groups != null ? groups.finish() : lookup.finish();
  }
}
