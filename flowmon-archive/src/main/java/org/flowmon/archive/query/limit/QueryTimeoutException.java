package org.flowmon.archive.query.limit;

import java.time.Duration;

/** A query did not end within its time limit; it has no answer. */
public final class QueryTimeoutException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public QueryTimeoutException(Duration limit, int segmentsDone, int segments) {
    super(
        "the query did not end within "
            + limit.toMillis()
            + " ms: "
            + segmentsDone
            + " of "
            + segments
            + " segments were done");
  }
}
