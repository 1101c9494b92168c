package org.flowmon.jobs.report.logic;

import java.util.Comparator;

/**
 * The slides of a window in which a key appeared.
 *
 * @param row of the window's result for the newest slide
 * @param slides a bit for each slide: bit 0 is the newest, the window's last
 * @param place in the order of keys
 */
record Sighting(int row, long slides, int place) {
  /** Regular ones first, then most repeats of the lag, then the longest lag, then the keys. */
  static final Comparator<Sighting> ORDER =
      Comparator.comparing((Sighting s) -> !s.isRegular())
          .thenComparing(Comparator.comparingInt(Sighting::repeats).reversed())
          .thenComparing(Comparator.comparingInt(Sighting::lag).reversed())
          .thenComparingInt(Sighting::place);

  /** Whether it appeared in the newest slide and in an earlier one. */
  boolean isAgain() {
    return (slides & 1) != 0 && slides != 1;
  }

  /** Slides between the newest appearance and the one before it. */
  int lag() {
    return Long.numberOfTrailingZeros(slides & ~1L);
  }

  /** Slides in which it appeared. */
  int appearances() {
    return Long.bitCount(slides);
  }

  /** Pairs of appearances that lie {@link #lag} apart; 1 is the newest pair alone. */
  int repeats() {
    return Long.bitCount(slides & (slides >>> lag()));
  }

  /** Whether it appeared three times or more, with the same lag each time. */
  boolean isRegular() {
    return appearances() > 2 && repeats() == appearances() - 1;
  }

  /** A {@code #} for each slide with an appearance and a dot for the others, the oldest first. */
  String pattern(int count) {
    StringBuilder pattern = new StringBuilder(count);
    for (int slide = count - 1; slide >= 0; slide--) {
      pattern.append((slides >>> slide & 1) != 0 ? '#' : '.');
    }
    return pattern.toString();
  }
}
