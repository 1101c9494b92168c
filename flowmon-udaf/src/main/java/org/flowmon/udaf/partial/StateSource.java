package org.flowmon.udaf.partial;

import org.flowmon.udaf.state.StateSink;

/** The source of function states for packed groups. */
@FunctionalInterface
public interface StateSource {
  StateSource NONE = (function, group, sink) -> {};

  /** Appends a group's state of the layout's function at a place; nothing if it has none. */
  void output(int function, int group, StateSink sink);
}
