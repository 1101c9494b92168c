package org.flowmon.jobs.window;

import java.util.BitSet;
import org.flowmon.jobs.lowlevel.Partial;

/**
 * The first window with all flows of a query. A query that runs since the job's first flow has them
 * from the beginning. For a later one each task of the low level announces its start ({@link
 * Partial.Started}), and a window that ends before all have announced lacks flows.
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

  /** Creates the windows of a query whose tasks have announced their start. */
  static WholeWindows from(long first) {
    return new WholeWindows(0, true, first);
  }

  /**
   * Creates the windows of a query that began with this change or a later one; nothing else is
   * known yet.
   */
  static WholeWindows pending(long version) {
    return new WholeWindows(version, false, Long.MIN_VALUE);
  }

  /** Takes the announcement of a low-level task; ignores an earlier run of the same query. */
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

  /** Whether all tasks have announced their start. */
  boolean isKnown() {
    return known;
  }

  /** The start of the first window with all of its flows, if it is known. */
  long first() {
    return first;
  }
}
