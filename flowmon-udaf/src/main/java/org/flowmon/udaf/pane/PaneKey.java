package org.flowmon.udaf.pane;

import java.util.Comparator;

/**
 * A part of a pane's groups: those that count in the same windows from the same tick.
 *
 * @param start of the pane, in microseconds
 * @param fromWindowEnd end of the first window that they count in
 * @param due the tick from which they count; the pane's start after that tick
 */
public record PaneKey(long start, long fromWindowEnd, long due) {
  public static final Comparator<PaneKey> BY_TIME =
      Comparator.comparingLong(PaneKey::start)
          .thenComparingLong(PaneKey::fromWindowEnd)
          .thenComparingLong(PaneKey::due);

  /** A lower bound of all keys of a pane. */
  public static PaneKey first(long paneStart) {
    return new PaneKey(paneStart, Long.MIN_VALUE, Long.MIN_VALUE);
  }

  public boolean counts() {
    return due == start;
  }

  public PaneKey counted() {
    return new PaneKey(start, fromWindowEnd, start);
  }
}
