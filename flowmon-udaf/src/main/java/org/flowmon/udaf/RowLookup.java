package org.flowmon.udaf;

import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;

/**
 * Collects the answer of a query without aggregates: rows are offered in any order, the ones that
 * the ORDER BY … LIMIT keeps stay. Ties are broken by the selected values, so that the answer does
 * not depend on the order of offering. Without ORDER BY the first rows offered are kept. Not
 * thread-safe.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class RowLookup {
  public RowLookup(FlowQuery query) {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Offers rows that the query's filter has chosen already.
   *
   * @param selection rows relative to {@code from}
   * @param n how many of them
   */
  public void add(FlowRows rows, int from, int count, int[] selection, int n) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Whether no further row can change the answer: no ORDER BY, and the limit is reached. */
  public boolean isComplete() {
    throw new UnsupportedOperationException("not built yet");
  }

  public ResultTable finish() {
    throw new UnsupportedOperationException("not built yet");
  }
}
