package org.flowmon.udaf.lowlevel;

import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialGroupsBuilder;

/**
 * A slice of time as long as the slide, the first window for which its flows were not late, and the
 * tick from which they count.
 */
public final class Pane {
  /** Among the open panes; part of every slot that holds one of its groups. */
  final int index;

  final long start;
  final long fromWindowEnd;

  /** The tick from which its groups count; {@link WindowSpec#due}. */
  final long due;

  /** Its groups in the tables of all groupings. */
  int slots;

  boolean closed;

  /** Whether most groups of its time were sent before: it does not represent the tables' needs. */
  boolean isRest;

  /** Buffered partial groups, by grouping, then key group; null if there are none. */
  PartialGroupsBuilder[] outgoing;

  Pane(int index, long start, long fromWindowEnd, long due, int destinations) {
    this.index = index;
    this.start = start;
    this.fromWindowEnd = fromWindowEnd;
    this.due = due;
    this.outgoing = new PartialGroupsBuilder[destinations];
  }
}
