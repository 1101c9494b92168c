package org.flowmon.deploy.status;

import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import org.flowmon.deploy.output.Facts;
import org.flowmon.deploy.output.Units;

/**
 * How a part of the pipeline is.
 *
 * @param lines for people
 * @param facts for programs
 */
record Part(String name, State state, List<String> lines, Facts facts) {
  Part {
    lines = List.copyOf(lines);
  }

  enum State {
    OK,
    /** Somebody should look at it. */
    WRONG,
    /** It does not answer. */
    UNKNOWN,
    /** Nobody named it. */
    ABSENT;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  static Part of(String name, State state, String line) {
    return new Part(name, state, List.of(line), new Facts());
  }

  /** As {@code 2026-11-26T21:03:10Z (2 h 4 min ago)}. */
  static String time(Instant time, Instant now) {
    return time.truncatedTo(ChronoUnit.SECONDS) + " (" + ago(time, now) + " ago)";
  }

  static String ago(Instant time, Instant now) {
    Duration past = Duration.between(time, now);
    long seconds = Math.max(0, past.toSeconds());
    return Units.duration(seconds * 1e6);
  }
}
