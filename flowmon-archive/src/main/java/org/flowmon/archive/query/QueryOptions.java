package org.flowmon.archive.query;

import java.time.Duration;

/**
 * How a query is run over the archive.
 *
 * @param asOfArrival only rows with an arrival (µs) at or before this are seen; {@link
 *     Long#MAX_VALUE} for all
 * @param timeLimit after which {@link QueryTimeoutException} is thrown, null for none
 * @param rowLimit on how many rows the filter is evaluated at most; beyond it {@link
 *     RowLimitException} is thrown; sums read for them do not count; {@link Long#MAX_VALUE} for no
 *     limit
 * @param threads that read segments of one aggregated query, at least 1
 * @param verifyChecksums whether a column's bytes are checked when this process first reads them
 * @param useRollups whether sums of rows may answer for them; the answer is the same
 */
public record QueryOptions(
    long asOfArrival,
    Duration timeLimit,
    long rowLimit,
    int threads,
    boolean verifyChecksums,
    boolean useRollups) {
  /** All rows, no limit of time or rows, one thread, checksums verified, sums used. */
  public static final QueryOptions DEFAULTS =
      new QueryOptions(Long.MAX_VALUE, null, Long.MAX_VALUE, 1, true, true);

  public QueryOptions {
    if (threads < 1 || rowLimit < 0 || (timeLimit != null && timeLimit.isNegative())) {
      throw new IllegalArgumentException(
          threads
              + " threads, time limit "
              + timeLimit
              + ", row limit "
              + rowLimit
              + ": expected at least 1 and none below 0");
    }
  }

  public QueryOptions withAsOfArrival(long micros) {
    return new QueryOptions(micros, timeLimit, rowLimit, threads, verifyChecksums, useRollups);
  }

  public QueryOptions withTimeLimit(Duration limit) {
    return new QueryOptions(asOfArrival, limit, rowLimit, threads, verifyChecksums, useRollups);
  }

  public QueryOptions withRowLimit(long rows) {
    return new QueryOptions(asOfArrival, timeLimit, rows, threads, verifyChecksums, useRollups);
  }

  public QueryOptions withThreads(int count) {
    return new QueryOptions(asOfArrival, timeLimit, rowLimit, count, verifyChecksums, useRollups);
  }

  public QueryOptions withVerifyChecksums(boolean verify) {
    return new QueryOptions(asOfArrival, timeLimit, rowLimit, threads, verify, useRollups);
  }

  public QueryOptions withRollups(boolean use) {
    return new QueryOptions(asOfArrival, timeLimit, rowLimit, threads, verifyChecksums, use);
  }
}
