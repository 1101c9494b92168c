package org.flowmon.archive.query.scan;

import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.query.filter.DictionaryFilter;
import org.flowmon.archive.query.plan.RowRanges;

/** The access path to an open segment's rows, chosen once for all its threads. Immutable. */
public sealed interface RowAccess {
  DictionaryFilter dictionary();

  long rows();

  /** A scan of the rows within the query's times. */
  record Scan(RowRanges ranges, DictionaryFilter dictionary) implements RowAccess {
    @Override
    public long rows() {
      return dictionary.isEmpty() ? 0 : ranges.total();
    }
  }

  /** The rows of posting lists; if {@code exact}, the filter is not evaluated: all pass it. */
  record Postings(RowSet found, boolean exact, DictionaryFilter dictionary) implements RowAccess {
    @Override
    public long rows() {
      return dictionary.isEmpty() ? 0 : found.size();
    }
  }
}
