package org.flowmon.ingest.file;

/**
 * The clock of a log: the largest time seen so far. It never goes back, so that a replay of the log
 * decides about late flows as the log's order does. One clock may serve several files; flows that
 * are older than what it showed when their file began are counted. Not thread-safe.
 */
public final class ArrivalClock {
  private long now = Long.MIN_VALUE;
  private long atBegin = Long.MIN_VALUE;
  private long older;

  /** Begins a file: what {@link #olderFlows} counts begins at 0. */
  public void beginFile() {
    atBegin = now;
    older = 0;
  }

  /** What the clock showed when the file began, µs; {@link Long#MIN_VALUE} before any flow. */
  public long atBegin() {
    return atBegin;
  }

  /**
   * Flows of this file that arrive at {@link #atBegin}, though they are older and the file by
   * itself would have them arrive earlier.
   */
  public long olderFlows() {
    return older;
  }

  void addOlderFlows(long flows) {
    older += flows;
  }

  /** When a flow of a time arrives: the clock moves on to it, where it is later. */
  long arrival(long micros) {
    long arrival = advance(micros);
    if (isOlder(micros, arrival)) {
      older++;
    }
    return arrival;
  }

  /** Whether a flow arrives only when this file began, though its own time is before that. */
  boolean isOlder(long micros, long arrival) {
    return arrival == atBegin && micros < atBegin;
  }

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
