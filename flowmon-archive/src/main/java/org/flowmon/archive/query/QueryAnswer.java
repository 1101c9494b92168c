package org.flowmon.archive.query;

import java.util.List;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;

/**
 * A query's rows, with the statistics of its reading.
 *
 * @param bounds of approximate values that it or its subqueries select; not of values computed from
 *     states of results
 */
public record QueryAnswer(ResultTable table, QueryStats stats, List<ValueBound> bounds) {
  public QueryAnswer {
    bounds = List.copyOf(bounds);
  }

  QueryAnswer withWarning(String warning) {
    return new QueryAnswer(table, stats.withWarning(warning), bounds);
  }
}
