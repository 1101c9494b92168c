package org.flowmon.archive.query.scan;

import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.query.filter.DictionaryFilter;
import org.flowmon.archive.query.plan.RowRanges;

/**
 * The access path to the rows of an open segment. {@link AccessPlanner} chooses it once, then all
 * threads that share the segment follow it. Immutable.
 */
public sealed interface RowAccess {
  /** What the segment's dictionaries decide of the filter. */
  DictionaryFilter dictionary();

  /** Number of rows to be examined. */
  long rows();

  /** A scan of the rows within the query's times. */
  record Scan(RowRanges ranges, DictionaryFilter dictionary) implements RowAccess {
    @Override
    public long rows() {
      return dictionary.isEmpty() ? 0 : ranges.total();
    }
  }

  /**
   * The rows of posting lists.
   *
   * @param exact whether all of them pass the filter, which then is not evaluated
   */
  record Postings(RowSet found, boolean exact, DictionaryFilter dictionary) implements RowAccess {
    @Override
    public long rows() {
      return dictionary.isEmpty() ? 0 : found.size();
    }
  }
}
