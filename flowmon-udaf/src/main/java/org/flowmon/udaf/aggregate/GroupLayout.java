package org.flowmon.udaf.aggregate;

import java.util.List;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.query.FlowQuery;

/**
 * What a group of a query is made of: the words of its keys, and the accumulators that its
 * aggregates share.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class GroupLayout {
  private GroupLayout() {}

  /**
   * The layout of an aggregated query.
   *
   * @throws org.flowmon.udaf.query.QueryException where the query has no groups
   */
  public static GroupLayout of(FlowQuery query) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** The expressions of GROUP BY. */
  public List<Expression> keys() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** The different arguments of all aggregates, in the order of their first use. */
  public List<Expression> arguments() {
    throw new UnsupportedOperationException("not built yet");
  }
}
