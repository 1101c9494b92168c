package org.flowmon.jobs.sink.archive;

import java.time.Duration;

/**
 * The expected next checkpoint barrier, by the last interval: a guess that only affects how much
 * work is left there. Not thread-safe.
 */
final class NextBarrier {
  // Barriers in faster succession are not predicted: little comes between them.
  private static final long SHORTEST = Duration.ofSeconds(1).toNanos();
  private static final long LONGEST_LEAD = Duration.ofSeconds(1).toNanos();

  private long last;
  private long interval;
  private boolean isKnown;
  private boolean isSaid;

  void came(long nanos) {
    interval = isKnown ? nanos - last : 0;
    last = nanos;
    isKnown = true;
    isSaid = false;
  }

  /** A sixteenth of the interval or, if less, a second ahead; true once for each barrier. */
  boolean isNear(long nanos) {
    if (isSaid || interval < SHORTEST) {
      return false;
    }
    isSaid = nanos - last >= interval - Math.min(LONGEST_LEAD, interval / 16);
    return isSaid;
  }
}
