package org.flowmon.udaf.lowlevel;

import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.partial.PartialGroupsBuilder;

/**
 * A pane that the low level holds groups of: a slice of time as long as the slide, the first of its
 * windows that its flows were not late for, and the tick from which on they count.
 */
public final class Pane {
  /** Place among the open panes; part of every slot that holds one of its groups. */
  final int index;

  final long start;
  final long fromWindowEnd;

  /** From which tick on its groups count; {@link WindowSpec#due}. */
  final long due;

  /** Groups of it in the tables of all groupings. */
  int slots;

  boolean closed;

  /** Whether most groups of its time had gone before: it says little of what the tables take. */
  boolean isRest;

  /** Partial groups on their way, by grouping, then key group; null where there are none. */
  PartialGroupsBuilder[] outgoing;

  Pane(int index, long start, long fromWindowEnd, long due, int destinations) {
    this.index = index;
    this.start = start;
    this.fromWindowEnd = fromWindowEnd;
    this.due = due;
    this.outgoing = new PartialGroupsBuilder[destinations];
  }
}
