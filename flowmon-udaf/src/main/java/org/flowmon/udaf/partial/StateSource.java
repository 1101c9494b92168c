package org.flowmon.udaf.partial;

import org.flowmon.udaf.state.StateSink;

/** The source of function states for packed groups. */
@FunctionalInterface
public interface StateSource {
  StateSource NONE = (function, group, sink) -> {};

  /**
   * Appends a group's state; nothing if it has none.
   *
   * @param function place of the function in the layout
   */
  void output(int function, int group, StateSink sink);
}
