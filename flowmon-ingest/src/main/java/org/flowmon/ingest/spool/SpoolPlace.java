package org.flowmon.ingest.spool;

/** Where a batch lies that was read from a {@link Spool}, which waits for {@link Spool#ended}. */
public final class SpoolPlace {
  private final long file;
  private final long end;
  private final int rows;
  private final long time;
  // The spool's monitor guards it.
  private boolean ended;

  SpoolPlace(long file, SpoolFile.Found record) {
    this.file = file;
    this.end = record.end();
    this.rows = record.rows();
    this.time = record.time();
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
