package org.flowmon.ingest.file;

/**
 * The clock of a log: the largest time seen so far. It never goes back, so that a replay of the log
 * decides about late flows as the log's order does. Not thread-safe.
 */
public final class ArrivalClock {
  private long now = Long.MIN_VALUE;

  /** Moves the clock on to a time, where that is later, and tells what it shows then, µs. */
  public long advance(long micros) {
    if (micros > now) {
      now = micros;
    }
    return now;
  }

  /** What the clock shows, µs; {@link Long#MIN_VALUE} where it was never set. */
  public long now() {
    return now;
  }
}
