package org.flowmon.ingest.spool;

/**
 * Where a batch of a {@link Spool} lies that Kafka's producer has; it waits for {@link
 * Spool#ended}.
 */
public final class SpoolPlace {
  private final long file;
  private final long end;
  private final int rows;
  private final long time;
  // The spool's monitor guards it.
  private boolean ended;

  SpoolPlace(long file, long end, int rows, long time) {
    this.file = file;
    this.end = end;
    this.rows = rows;
    this.time = time;
  }

  /** The number of its file. */
  long file() {
    return file;
  }

  /** The offset behind it. */
  long end() {
    return end;
  }

  int rows() {
    return rows;
  }

  /** When it was written, µs. */
  long time() {
    return time;
  }

  boolean hasEnded() {
    return ended;
  }

  void setEnded() {
    ended = true;
  }
}
