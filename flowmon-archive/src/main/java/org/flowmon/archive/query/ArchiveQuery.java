package org.flowmon.archive.query;

import java.io.IOException;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.flow.IpPrefix;
import org.flowmon.udaf.query.FlowQuery;

/**
 * Runs queries over the archive. Times, postings and dictionaries only leave out what the filter
 * would not keep: the filter is evaluated on every row that is left, so the answer is that of a
 * scan of everything.
 *
 * <p>A damaged segment is a {@link org.flowmon.archive.region.SegmentCorruptException} that names
 * file and place, never a different answer.
 */
@SuppressWarnings("DoNotCallSuggester")
public final class ArchiveQuery {
  private ArchiveQuery() {}

  /**
   * Runs a query.
   *
   * @param query without parameters
   * @throws QueryTimeoutException where the options' time limit is over
   * @throws org.flowmon.udaf.query.QueryException where a parameter is not bound
   */
  public static QueryAnswer run(ArchiveSnapshot snapshot, FlowQuery query, QueryOptions options)
      throws IOException {
    throw new UnsupportedOperationException("not yet");
  }

  /**
   * Flows in which an address of the prefix is source or destination, every column, ordered by
   * {@code end_time}.
   *
   * @param from smallest {@code end_time} (µs), {@link Long#MIN_VALUE} for any
   * @param to {@code end_time} is before this, {@link Long#MAX_VALUE} for any
   * @param limit flows at most, −1 for all
   */
  public static QueryAnswer lookup(
      ArchiveSnapshot snapshot,
      IpPrefix addresses,
      long from,
      long to,
      long limit,
      QueryOptions options)
      throws IOException {
    throw new UnsupportedOperationException("not yet");
  }
}
