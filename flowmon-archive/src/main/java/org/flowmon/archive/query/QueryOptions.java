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
 * @param byteLimit how many bytes of columns are read at most; beyond it {@link ByteLimitException}
 *     is thrown, once the segment that goes beyond is done; {@link Long#MAX_VALUE} for no limit
 * @param threads that read segments of one aggregated query, at least 1
 * @param verifyChecksums whether a column's bytes are checked when this process first reads them
 * @param useRollups whether sums of rows may answer for them; the answer is the same
 * @param explain whether the answer says how each segment was read
 * @param pieceRows threads share a segment of an aggregated query in pieces of at least so many
 *     rows; at least 1
 */
public record QueryOptions(
    long asOfArrival,
    Duration timeLimit,
    long rowLimit,
    long byteLimit,
    int threads,
    boolean verifyChecksums,
    boolean useRollups,
    boolean explain,
    int pieceRows) {
  /** All rows, no limit of time, rows or bytes, one thread, checksums verified, sums used. */
  public static final QueryOptions DEFAULTS =
      new QueryOptions(
          Long.MAX_VALUE, null, Long.MAX_VALUE, Long.MAX_VALUE, 1, true, true, false, 1 << 18);

  public QueryOptions {
    if (threads < 1
        || pieceRows < 1
        || rowLimit < 0
        || byteLimit < 0
        || (timeLimit != null && timeLimit.isNegative())) {
      throw new IllegalArgumentException(
          threads
              + " threads, time limit "
              + timeLimit
              + ", row limit "
              + rowLimit
              + ", byte limit "
              + byteLimit
              + ", pieces of "
              + pieceRows
              + " rows: expected at least 1 thread and row, and no limit below 0");
    }
  }

  public QueryOptions withAsOfArrival(long micros) {
    return new QueryOptions(
        micros,
        timeLimit,
        rowLimit,
        byteLimit,
        threads,
        verifyChecksums,
        useRollups,
        explain,
        pieceRows);
  }

  public QueryOptions withTimeLimit(Duration limit) {
    return new QueryOptions(
        asOfArrival,
        limit,
        rowLimit,
        byteLimit,
        threads,
        verifyChecksums,
        useRollups,
        explain,
        pieceRows);
  }

  public QueryOptions withRowLimit(long limit) {
    return new QueryOptions(
        asOfArrival,
        timeLimit,
        limit,
        byteLimit,
        threads,
        verifyChecksums,
        useRollups,
        explain,
        pieceRows);
  }

  public QueryOptions withByteLimit(long limit) {
    return new QueryOptions(
        asOfArrival,
        timeLimit,
        rowLimit,
        limit,
        threads,
        verifyChecksums,
        useRollups,
        explain,
        pieceRows);
  }

  public QueryOptions withThreads(int count) {
    return new QueryOptions(
        asOfArrival,
        timeLimit,
        rowLimit,
        byteLimit,
        count,
        verifyChecksums,
        useRollups,
        explain,
        pieceRows);
  }

  public QueryOptions withVerifyChecksums(boolean verify) {
    return new QueryOptions(
        asOfArrival,
        timeLimit,
        rowLimit,
        byteLimit,
        threads,
        verify,
        useRollups,
        explain,
        pieceRows);
  }

  public QueryOptions withRollups(boolean use) {
    return new QueryOptions(
        asOfArrival,
        timeLimit,
        rowLimit,
        byteLimit,
        threads,
        verifyChecksums,
        use,
        explain,
        pieceRows);
  }

  public QueryOptions withExplain(boolean wanted) {
    return new QueryOptions(
        asOfArrival,
        timeLimit,
        rowLimit,
        byteLimit,
        threads,
        verifyChecksums,
        useRollups,
        wanted,
        pieceRows);
  }

  public QueryOptions withPieceRows(int rows) {
    return new QueryOptions(
        asOfArrival,
        timeLimit,
        rowLimit,
        byteLimit,
        threads,
        verifyChecksums,
        useRollups,
        explain,
        rows);
  }
}
