package org.flowmon.udaf.group;

import org.flowmon.udaf.pane.WindowSpec;

/**
 * What a task may hold of a window of a live query, or of a pane.
 *
 * @param groups at most; of a query with COUNT(DISTINCT …) those of keys and arguments
 * @param stateBytes what the states of functions come to, at most, as {@link
 *     org.flowmon.udaf.state.SuperState#chargedBytes} says it
 */
public record GroupLimit(long groups, long stateBytes) {
  /** All there is. */
  public static final GroupLimit NONE = new GroupLimit(Long.MAX_VALUE, Long.MAX_VALUE);

  /** So many groups, however large they are. */
  public static GroupLimit ofGroups(long groups) {
    return new GroupLimit(groups, Long.MAX_VALUE);
  }

  /** Of one pane, where this is of a window: each of its panes may have an equal share. */
  public GroupLimit ofPane(WindowSpec window) {
    long panes = window.windowsPerPane();
    return new GroupLimit(Math.max(1, groups / panes), Math.max(1, stateBytes / panes));
  }
}
