package org.flowmon.udaf.partial;

import org.flowmon.udaf.state.StateSink;

/** Where the states of groups come from that are packed. */
@FunctionalInterface
public interface StateSource {
  /** Of groups without functions. */
  StateSource NONE = (function, group, sink) -> {};

  /**
   * Appends a group's state; nothing where it has none.
   *
   * @param function place of the function in the layout
   * @param group what the source knows the group by
   */
  void output(int function, int group, StateSink sink);
}
