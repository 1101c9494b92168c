package org.flowmon.udaf.partial;

import org.flowmon.udaf.state.StateSink;

/** The source of function states for packed groups. */
@FunctionalInterface
public interface StateSource {
  /** The source for groups without functions. */
  StateSource NONE = (function, group, sink) -> {};

  /**
   * Appends a group's state; nothing if it has none.
   *
   * @param function place of the function in the layout
   * @param group the group in the source
   */
  void output(int function, int group, StateSink sink);
}
