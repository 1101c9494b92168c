package org.flowmon.ingest.file.reader;

import java.util.Arrays;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * The clock of a log: the largest time so far, never going back, so that a replay decides about
 * late flows in the log's order. A time far ahead counts only if most later flows have it, too; one
 * wrong time would else be the arrival of all later flows. It depends on the file alone: the same
 * file always gives the same arrivals. Several files may share it. With {@link #ofEnds} it follows
 * the flows' own times. Not thread-safe.
 */
public final class ArrivalClock {
  /** µs; further ahead must be confirmed by later flows. */
  public static final long MOST_AHEAD = 24L * 3600 * 1_000_000;

  /** Later flows that confirm a time far ahead. */
  public static final int LOOK_AHEAD = 64;

  /** Of the later flows one in so many has to confirm a time, if flows arrive as they end. */
  private static final int CONFIRMING = 8;

  private final Optional<LongSupplier> wall;
  private final boolean isOfEnds;
  private long now = Long.MIN_VALUE;
  private boolean fileHasFlows;
  private long ahead;

  public ArrivalClock() {
    this(Optional.empty(), false);
  }

  private ArrivalClock(Optional<LongSupplier> wall, boolean isOfEnds) {
    this.wall = wall;
    this.isOfEnds = isOfEnds;
  }

  /**
   * Each flow arrives at its own time, so that none is late, whatever the order of flows and files.
   * A time more than a day off that hardly any later flow shares is not believed.
   */
  public static ArrivalClock ofEnds() {
    return new ArrivalClock(Optional.empty(), true);
  }

  /** Of flows that come as they happen: they arrive when they are read, by {@code micros}. */
  public static ArrivalClock ofWall(LongSupplier micros) {
    return new ArrivalClock(Optional.of(micros), false);
  }

  /** Resets {@link #aheadFlows}. */
  public void beginFile() {
    fileHasFlows = false;
    ahead = 0;
  }

  /** Flows that arrive with their neighbours: their own time is far ahead. */
  public long aheadFlows() {
    return ahead;
  }

  public void addAheadFlows(long flows) {
    ahead += flows;
  }

  public boolean needsFollowing(long micros) {
    return wall.isEmpty()
        && (now == Long.MIN_VALUE
            || isFarAhead(micros, now)
            || (isOfEnds && isFarAhead(now, micros)));
  }

  private static boolean isFarAhead(long micros, long before) {
    return micros > before && (micros - before > MOST_AHEAD || micros - before < 0);
  }

  /** The arrival of a flow whose time {@linkplain #needsFollowing needs no confirmation}. */
  public long arrival(long micros) {
    fileHasFlows = true;
    if (wall.isPresent()) {
      now = Math.max(now, wall.get().getAsLong());
      return now;
    }
    if (micros > now || isOfEnds) {
      now = micros;
    }
    return now;
  }

  /** By {@code count} later times in the file's order, at most {@link #LOOK_AHEAD}. */
  public long arrival(long micros, long[] following, int count) {
    if (isConfirmed(micros, following, count)) {
      return arrival(micros);
    }
    ahead++;
    leaveOut(following, count);
    return now;
  }

  /** The flow has an arrival of its own, which moves the clock like a time. */
  public void observe(long micros, long[] following, int count) {
    if (!needsFollowing(micros) || isConfirmed(micros, following, count)) {
      now = isOfEnds ? micros : Math.max(now, micros);
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
    if (isOfEnds) {
      return isShared(micros, following, count);
    }
    int confirming = 0;
    for (int i = 0; i < count; i++) {
      confirming += isFarAhead(micros, following[i]) ? 0 : 1;
    }
    return 2 * confirming > count;
  }

  private static boolean isShared(long micros, long[] following, int count) {
    int sharing = 0;
    for (int i = 0; i < count; i++) {
      boolean isNear = !isFarAhead(micros, following[i]) && !isFarAhead(following[i], micros);
      sharing += isNear ? 1 : 0;
    }
    return sharing > 0 && sharing * CONFIRMING >= count;
  }

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
