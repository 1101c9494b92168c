package org.flowmon.archive.query;

import org.flowmon.udaf.query.ResultTable;

/** A query's rows, and what was read for them. */
public record QueryAnswer(ResultTable table, QueryStats stats) {
  QueryAnswer withWarning(String warning) {
    return new QueryAnswer(table, stats.withWarning(warning));
  }
}
