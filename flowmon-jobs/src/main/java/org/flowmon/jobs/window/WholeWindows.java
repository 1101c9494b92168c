package org.flowmon.jobs.window;

import java.util.BitSet;
import org.flowmon.jobs.lowlevel.Partial;

/**
 * A query's first window with all flows: from the beginning if it runs since the job's first flow.
 * Else each low-level task announces its start ({@link Partial.Started}), and a window that ends
 * before all have lacks flows.
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

  /** All tasks have announced their start. */
  static WholeWindows from(long first) {
    return new WholeWindows(0, true, first);
  }

  /** It began with this change or a later one; nothing else is known yet. */
  static WholeWindows pending(long version) {
    return new WholeWindows(version, false, Long.MIN_VALUE);
  }

  /** Ignores announcements of an earlier run of the query. */
  void add(Partial.Started started) {
    if (known || started.version() < version || heard.get(started.task())) {
      return;
    }
    heard.set(started.task());
    first = Math.max(first, started.firstWhole());
    known = heard.cardinality() == started.tasks();
  }

  boolean isWhole(long windowStart) {
    return known && windowStart >= first;
  }

  boolean isKnown() {
    return known;
  }

  /** Start of the first window with all of its flows, if known. */
  long first() {
    return first;
  }
}
