package org.flowmon.udaf.query;

import java.util.List;

/**
 * {@code LIMIT rows BY keys}: of the groups with the same keys, the first rows in the query's order
 * stay. It comes before the query's LIMIT.
 *
 * @param rows at least 1
 * @param keys at least one, each of them in the query's GROUP BY
 */
public record LimitBy(long rows, List<Expression> keys) {
  public LimitBy {
    keys = List.copyOf(keys);
  }
}
