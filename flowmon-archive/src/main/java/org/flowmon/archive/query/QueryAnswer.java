package org.flowmon.archive.query;

import java.util.List;
import org.flowmon.udaf.result.ValueBound;
import org.flowmon.udaf.value.ResultTable;

/**
 * A query's rows, and what was read for them.
 *
 * @param bounds how far approximate values that it or the queries in it select may be off; not of
 *     what is made of states of results
 */
public record QueryAnswer(ResultTable table, QueryStats stats, List<ValueBound> bounds) {
  public QueryAnswer {
    bounds = List.copyOf(bounds);
  }

  QueryAnswer withWarning(String warning) {
    return new QueryAnswer(table, stats.withWarning(warning), bounds);
  }
}
