package org.flowmon.archive.query.limit;

/** A query has read more bytes than its options allow; it has no answer. */
public final class ByteLimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public ByteLimitException(long limit, long read, int segmentsDone, int segments) {
    super(
        "the query has read "
            + read
            + " bytes of columns, more than the "
            + limit
            + " that it may: "
            + segmentsDone
            + " of "
            + segments
            + " segments were done");
  }
}
