package org.flowmon.archive.query.limit;

/** A query would have read more rows than its options allow; it has no answer. */
public final class RowLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public RowLimitException(long limit, int segmentsDone, int segments) {
    super(
        "the query would read more than "
            + limit
            + " rows: "
            + segmentsDone
            + " of "
            + segments
            + " segments were done");
  }
}
