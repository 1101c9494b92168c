package org.flowmon.ingest.file.reader;

import java.util.Arrays;

/**
 * The clock of a log: the largest time seen so far. It never goes back, so that a replay of the log
 * decides about late flows as the log's order does. A time far ahead moves it only where most of
 * the flows behind it are of that time, too: one wrong time would else be the arrival of all that
 * follow. What decides is the file alone, not the clock of the machine, so the same file gives the
 * same arrivals at any time.
 *
 * <p>One clock may serve several files; flows that are older than what it showed when their file
 * began are counted. Not thread-safe.
 */
public final class ArrivalClock {
  /** A time that is further ahead (µs) must be confirmed by what follows. */
  public static final long MOST_AHEAD = 24L * 3600 * 1_000_000;

  /** Flows behind one far ahead that are looked at. */
  public static final int LOOK_AHEAD = 64;

  private long now = Long.MIN_VALUE;
  private long atBegin = Long.MIN_VALUE;
  private boolean fileHasFlows;
  private long older;
  private long ahead;

  /** Begins a file: what {@link #olderFlows} and {@link #aheadFlows} count begins at 0. */
  public void beginFile() {
    atBegin = now;
    fileHasFlows = false;
    older = 0;
    ahead = 0;
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

  /** Flows of this file that arrive as those around them do, though their own time is far ahead. */
  public long aheadFlows() {
    return ahead;
  }

  public void addAheadFlows(long flows) {
    ahead += flows;
  }

  /** Whether a time is so far ahead that it takes the flows behind it to say when it arrives. */
  public boolean needsFollowing(long micros) {
    return now == Long.MIN_VALUE || isFarAhead(micros, now);
  }

  private static boolean isFarAhead(long micros, long before) {
    return micros > before && (micros - before > MOST_AHEAD || micros - before < 0);
  }

  /** When a flow of a time arrives that {@linkplain #needsFollowing needs no other}. */
  public long arrival(long micros) {
    fileHasFlows = true;
    if (micros > now) {
      now = micros;
    } else if (now == atBegin && micros < atBegin) {
      older++;
    }
    return now;
  }

  /**
   * When a flow of a time arrives.
   *
   * @param following times of the flows behind it, in the order of the file
   * @param count how many of them there are, at most {@link #LOOK_AHEAD}
   */
  public long arrival(long micros, long[] following, int count) {
    if (isConfirmed(micros, following, count)) {
      return arrival(micros);
    }
    ahead++;
    leaveOut(following, count);
    return now;
  }

  /** Takes in the arrival that a flow has of its own, which moves the clock as a time does. */
  public void observe(long micros, long[] following, int count) {
    if (!needsFollowing(micros) || isConfirmed(micros, following, count)) {
      now = Math.max(now, micros);
      fileHasFlows = true;
    } else {
      leaveOut(following, count);
    }
  }

  private void leaveOut(long[] following, int count) {
    if (!fileHasFlows) {
      now = Math.max(now, usual(following, count));
      fileHasFlows = true;
    }
  }

  private boolean isConfirmed(long micros, long[] following, int count) {
    if (!fileHasFlows && count < 2) {
      return true; // of two flows nobody can tell which one is wrong
    }
    int confirming = 0;
    for (int i = 0; i < count; i++) {
      confirming += isFarAhead(micros, following[i]) ? 0 : 1;
    }
    return 2 * confirming > count;
  }

  /** The first of the times around the median. */
  private static long usual(long[] following, int count) {
    long[] sorted = Arrays.copyOf(following, count);
    Arrays.sort(sorted);
    long median = sorted[(count - 1) / 2];
    int first = 0;
    while (isFarAhead(median, sorted[first])) {
      first++;
    }
    return sorted[first];
  }

  /** What the clock shows, µs; {@link Long#MIN_VALUE} where it was never set. */
  public long now() {
    return now;
  }
}
