package org.flowmon.archive.query;

import java.time.Duration;

/**
 * How a query is run over the archive.
 *
 * @param asOfArrival only rows with an arrival (µs) at or before this are seen; {@link
 *     Long#MAX_VALUE} for all
 * @param timeLimit after which {@link QueryTimeoutException} is thrown, null for none
 * @param threads that read segments of one aggregated query, at least 1
 * @param verifyChecksums whether a column's bytes are checked when this process first reads them
 */
public record QueryOptions(
    long asOfArrival, Duration timeLimit, int threads, boolean verifyChecksums) {
  /** All rows, no time limit, one thread, checksums verified. */
  public static final QueryOptions DEFAULTS = new QueryOptions(Long.MAX_VALUE, null, 1, true);

  public QueryOptions {
    if (threads < 1 || (timeLimit != null && timeLimit.isNegative())) {
      throw new IllegalArgumentException(
          threads + " threads, time limit " + timeLimit + ": expected at least 1 and none below 0");
    }
  }

  public QueryOptions withAsOfArrival(long micros) {
    return new QueryOptions(micros, timeLimit, threads, verifyChecksums);
  }

  public QueryOptions withTimeLimit(Duration limit) {
    return new QueryOptions(asOfArrival, limit, threads, verifyChecksums);
  }

  public QueryOptions withThreads(int count) {
    return new QueryOptions(asOfArrival, timeLimit, count, verifyChecksums);
  }

  public QueryOptions withVerifyChecksums(boolean verify) {
    return new QueryOptions(asOfArrival, timeLimit, threads, verify);
  }
}
