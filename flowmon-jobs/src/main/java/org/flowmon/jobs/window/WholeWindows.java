package org.flowmon.jobs.window;

import java.util.BitSet;
import org.flowmon.jobs.lowlevel.Partial;

/**
 * From which window on a query has all of its flows. One that runs since the job's first flow has
 * them from the beginning; of one that came later each task of the low level says where it begins
 * ({@link Partial.Started}), and a window that ends before all have said so lacks flows.
 */
final class WholeWindows {
  private final long version;
  private final BitSet heard = new BitSet();
  private boolean known;
  private long first;

  private WholeWindows(long version, boolean known, long first) {
    this.version = version;
    this.known = known;
    this.first = first;
  }

  /** Of a query whose tasks have said where they begin. */
  static WholeWindows from(long first) {
    return new WholeWindows(0, true, first);
  }

  /** Of a query that nothing is known of yet, but that it began with this change or a later one. */
  static WholeWindows pending(long version) {
    return new WholeWindows(version, false, Long.MIN_VALUE);
  }

  /** Takes what a task of the low level says; nothing of an earlier run of the same query. */
  void add(Partial.Started started) {
    if (known || started.version() < version || heard.get(started.task())) {
      return;
    }
    heard.set(started.task());
    first = Math.max(first, started.firstWhole());
    known = heard.cardinality() == started.tasks();
  }

  /** Whether a window that is complete now has all of its flows. */
  boolean isWhole(long windowStart) {
    return known && windowStart >= first;
  }

  /** Whether all tasks have said where they begin. */
  boolean isKnown() {
    return known;
  }

  /** The start of the first window that has all of its flows, where that is known. */
  long first() {
    return first;
  }
}
