package org.flowmon.archive.query.limit;

/** A query ended: its thread was interrupted, and still is, or another of its threads failed. */
public final class QueryCancelledException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public QueryCancelledException(int segmentsDone, int segments) {
    super("the query was cancelled: " + segmentsDone + " of " + segments + " segments were done");
  }
}
