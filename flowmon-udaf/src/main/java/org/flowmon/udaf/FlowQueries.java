package org.flowmon.udaf;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;

/**
 * Runs queries over rows at hand, exactly and without any index: for small imports, and as what
 * others must equal.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class FlowQueries {
  private FlowQueries() {}

  /**
   * The answer of a query over all rows of some batches or segments.
   *
   * @param query without parameters
   */
  public static ResultTable run(Iterable<? extends FlowRows> flows, FlowQuery query) {
    if (query.select().isEmpty()) {
      return new ResultTable.Builder().build();
    }
    throw new UnsupportedOperationException("not built yet");
  }
}
