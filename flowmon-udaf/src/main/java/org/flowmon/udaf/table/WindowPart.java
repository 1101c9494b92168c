package org.flowmon.udaf.table;

import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.query.ResultTable;

/**
 * The part of a window's result that comes from some key groups: the rows that may be in the
 * query's ORDER BY … LIMIT, the number of all groups, and the totals of all aggregates over all
 * groups. Parts of different key groups merge, in any order, into the window's exact result.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class WindowPart {
  private WindowPart() {}

  public long queryId() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** End of the window in microseconds, which is not in it. */
  public long windowEnd() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** All groups of the window in these key groups, beyond the LIMIT too. */
  public long groups() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** Takes in the part of other key groups of the same window. */
  public void merge(WindowPart other) {
    throw new UnsupportedOperationException("not built yet");
  }

  /** The rows in the query's order. */
  public ResultTable result() {
    throw new UnsupportedOperationException("not built yet");
  }

  /** One row: each aggregate of the select list over all rows of the window. */
  public ResultTable totals() {
    throw new UnsupportedOperationException("not built yet");
  }

  public byte[] toBytes() {
    throw new UnsupportedOperationException("not built yet");
  }

  /**
   * Opens bytes that may come from anywhere.
   *
   * @param live the query that the part is of
   * @throws PartialFormatException where the bytes are damaged or of a query with other groups
   */
  public static WindowPart open(byte[] bytes, FlowQuery live) {
    throw new UnsupportedOperationException("not built yet");
  }
}
