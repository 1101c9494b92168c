package org.flowmon.udaf.query;

import java.util.List;

/**
 * {@code LIMIT rows BY keys}, before the query's LIMIT: of the groups with the same keys (at least
 * one, all in GROUP BY) the first rows (at least 1) in the query's order stay.
 */
public record LimitBy(long rows, List<Expression> keys) {
  public LimitBy {
    keys = List.copyOf(keys);
  }
}
