package org.flowmon.jobs.sink.archive;

import java.time.Duration;

/**
 * When the next barrier of a checkpoint is to be expected: as long after the last one as that came
 * after the one before. A guess, of which nothing depends but how much is left to do at the
 * barrier. Not thread-safe.
 */
final class NextBarrier {
  // Of barriers that follow one another faster nothing is expected: little comes between them.
  private static final long SHORTEST = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST_LEAD = Duration.ofSeconds(1).toNanos();

  private long last;
  private long interval;
  private boolean isKnown;
  private boolean isSaid;

  /** Notes a barrier, at a time of {@link System#nanoTime}. */
  void came(long nanos) {
    interval = isKnown ? nanos - last : 0;
    last = nanos;
    isKnown = true;
    isSaid = false;
  }

  /**
   * Whether it is near: a sixteenth of the interval or a second ahead, which is less. Said once for
   * each barrier.
   */
  boolean isNear(long nanos) {
    if (isSaid || interval < SHORTEST) {
      return false;
    }
    isSaid = nanos - last >= interval - Math.min(LONGEST_LEAD, interval / 16);
    return isSaid;
  }
}
