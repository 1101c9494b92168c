package org.flowmon.ingest.file.reader;

import java.util.Arrays;

/**
 * The clock of a log: the largest time so far. It never goes back, so a replay decides about late
 * flows in the log's order. A time far ahead moves it only if most of the flows after it are of
 * that time, too; otherwise one wrong time would be the arrival of all later flows. The clock
 * depends on the file alone, not on the machine's clock, so the same file always gives the same
 * arrivals.
 *
 * <p>One clock may serve several files; flows older than the clock at the beginning of their file
 * are counted. Not thread-safe.
 */
public final class ArrivalClock {
  /** A time further ahead than this (µs) must be confirmed by later flows. */
  public static final long MOST_AHEAD = 24L * 3600 * 1_000_000;

  /** The number of later flows that confirm a time far ahead. */
  public static final int LOOK_AHEAD = 64;

  private long now = Long.MIN_VALUE;
  private long atBegin = Long.MIN_VALUE;
  private boolean fileHasFlows;
  private long older;
  private long ahead;

  /** Begins a file and resets {@link #olderFlows} and {@link #aheadFlows}. */
  public void beginFile() {
    atBegin = now;
    fileHasFlows = false;
    older = 0;
    ahead = 0;
  }

  /** The clock at the beginning of the file, µs; {@link Long#MIN_VALUE} before any flow. */
  public long atBegin() {
    return atBegin;
  }

  /**
   * Flows of this file that arrive at {@link #atBegin} although they are older. The file alone
   * would have them arrive earlier.
   */
  public long olderFlows() {
    return older;
  }

  /** Flows of this file that arrive with their neighbours although their own time is far ahead. */
  public long aheadFlows() {
    return ahead;
  }

  public void addAheadFlows(long flows) {
    ahead += flows;
  }

  /** Whether a time is so far ahead that later flows must confirm it. */
  public boolean needsFollowing(long micros) {
    return now == Long.MIN_VALUE || isFarAhead(micros, now);
  }

  private static boolean isFarAhead(long micros, long before) {
    return micros > before && (micros - before > MOST_AHEAD || micros - before < 0);
  }

  /** The arrival of a flow whose time {@linkplain #needsFollowing needs no confirmation}. */
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
   * The arrival of a flow.
   *
   * @param following times of the later flows, in the order of the file
   * @param count the number of these, at most {@link #LOOK_AHEAD}
   */
  public long arrival(long micros, long[] following, int count) {
    if (isConfirmed(micros, following, count)) {
      return arrival(micros);
    }
    ahead++;
    leaveOut(following, count);
    return now;
  }

  /** Observes a flow with an arrival of its own, which moves the clock like a time. */
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
      return true; // either of two flows may be the wrong one
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
}
