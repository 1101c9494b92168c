package org.flowmon.udaf.group;

import org.flowmon.udaf.pane.WindowSpec;

/**
 * The limits of a task on a window of a live query, or on a pane.
 *
 * @param groups the most groups; of a query with COUNT(DISTINCT …), the most groups of keys and
 *     arguments
 * @param stateBytes the most bytes of the states of functions, by {@link
 *     org.flowmon.udaf.state.SuperState#chargedBytes}
 */
public record GroupLimit(long groups, long stateBytes) {
  /** No limit. */
  public static final GroupLimit NONE = new GroupLimit(Long.MAX_VALUE, Long.MAX_VALUE);

  /** A limit on groups, however large they are. */
  public static GroupLimit ofGroups(long groups) {
    return new GroupLimit(groups, Long.MAX_VALUE);
  }

  /** The limit of one pane, from that of a window: each of its panes may have an equal share. */
  public GroupLimit ofPane(WindowSpec window) {
    long panes = window.windowsPerPane();
    return new GroupLimit(Math.max(1, groups / panes), Math.max(1, stateBytes / panes));
  }
}
