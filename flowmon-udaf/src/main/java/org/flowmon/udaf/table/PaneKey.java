package org.flowmon.udaf.table;

import java.util.Comparator;

/**
 * Some groups of a pane: those that count in the same windows from the same tick on.
 *
 * @param start of the pane, in microseconds
 * @param fromWindowEnd end of the first window that they count in
 * @param due the tick from which on they count; the pane's start once that has come
 */
record PaneKey(long start, long fromWindowEnd, long due) {
  static final Comparator<PaneKey> BY_TIME =
      Comparator.comparingLong(PaneKey::start)
          .thenComparingLong(PaneKey::fromWindowEnd)
          .thenComparingLong(PaneKey::due);

  /** What comes before all that are of a pane. */
  static PaneKey first(long paneStart) {
    return new PaneKey(paneStart, Long.MIN_VALUE, Long.MIN_VALUE);
  }

  boolean counts() {
    return due == start;
  }

  PaneKey counted() {
    return new PaneKey(start, fromWindowEnd, start);
  }
}
