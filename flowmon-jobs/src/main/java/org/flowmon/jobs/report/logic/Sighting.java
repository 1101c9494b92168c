package org.flowmon.jobs.report.logic;

import java.util.Comparator;

/**
 * A key's slides in a window. {@code row} is of the newest; bit 0 of {@code slides} is the newest,
 * the window's last; {@code place} is in the order of keys.
 */
record Sighting(int row, long slides, int place) {
  /** Regular first, then most repeats of the lag, longest lag, keys. */
  static final Comparator<Sighting> ORDER =
      Comparator.comparing((Sighting s) -> !s.isRegular())
          .thenComparing(Comparator.comparingInt(Sighting::repeats).reversed())
          .thenComparing(Comparator.comparingInt(Sighting::lag).reversed())
          .thenComparingInt(Sighting::place);

  boolean isAgain() {
    return (slides & 1) != 0 && slides != 1;
  }

  /** Slides between the newest appearance and the one before it. */
  int lag() {
    return Long.numberOfTrailingZeros(slides & ~1L);
  }

  int appearances() {
    return Long.bitCount(slides);
  }

  /** Pairs of appearances {@link #lag} apart; 1 is the newest pair alone. */
  int repeats() {
    return Long.bitCount(slides & (slides >>> lag()));
  }

  /** Three appearances or more, with the same lag each time. */
  boolean isRegular() {
    return appearances() > 2 && repeats() == appearances() - 1;
  }

  /** Oldest first: {@code #} for each slide with an appearance, else a dot. */
  String pattern(int count) {
    StringBuilder pattern = new StringBuilder(count);
    for (int slide = count - 1; slide >= 0; slide--) {
      pattern.append((slides >>> slide & 1) != 0 ? '#' : '.');
    }
    return pattern.toString();
  }
}
