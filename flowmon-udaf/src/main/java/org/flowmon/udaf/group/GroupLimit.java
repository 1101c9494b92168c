package org.flowmon.udaf.group;

import org.flowmon.udaf.pane.WindowSpec;

/**
 * A task's limits on a window of a live query, or on a pane: groups (with COUNT(DISTINCT …) of keys
 * and arguments), and {@link org.flowmon.udaf.state.SuperState#chargedBytes}.
 */
public record GroupLimit(long groups, long stateBytes) {
  public static final GroupLimit NONE = new GroupLimit(Long.MAX_VALUE, Long.MAX_VALUE);

  public static GroupLimit ofGroups(long groups) {
    return new GroupLimit(groups, Long.MAX_VALUE);
  }

  /** The limit of one pane: an equal share of the window's limit. */
  public GroupLimit ofPane(WindowSpec window) {
    long panes = window.windowsPerPane();
    return new GroupLimit(Math.max(1, groups / panes), Math.max(1, stateBytes / panes));
  }
}
