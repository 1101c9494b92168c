package org.flowmon.udaf.result;

import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;
import org.jspecify.annotations.Nullable;

/**
 * The groupings of a live query. The low level adds rows to their groups, the high level merges
 * their panes, and a closing window turns them into the query's groups: without COUNT(DISTINCT …)
 * the groups of the one grouping, else counted by {@link DistinctCounts}.
 *
 * <p>The query's keys come first in each grouping and alone decide the key group: everything that
 * counts into a group of the query is in one place. Immutable, safe for many threads.
 */
public final class LiveGroupings {
  /** Different COUNT(DISTINCT …) of a live query: the low level has a table for each. */
  public static final int MAX_GROUPINGS = 16;

  private final @Nullable DistinctCounts counts; // null if the groups are the query's own
  private final GroupLayout layout;
  private final List<GroupLayout> groupings;

  private LiveGroupings(FlowQuery live) {
    this.counts = DistinctCounts.joined(live);
    this.layout = counts == null ? GroupLayout.of(live) : GroupLayout.ofCounts(live);
    this.groupings =
        counts == null
            ? List.of(layout)
            : counts.groupings().stream().map(GroupLayout::of).toList();
    if (groupings.size() > MAX_GROUPINGS) {
      throw new QueryException(
          "a live query has at most "
              + MAX_GROUPINGS
              + " different COUNT(DISTINCT …), found "
              + groupings.size());
    }
  }

  /**
   * The groupings of a live query without parameters.
   *
   * @throws QueryException if it has no groups, too many keys and arguments of a COUNT(DISTINCT …),
   *     or too many of these
   */
  public static LiveGroupings of(FlowQuery live) {
    return new LiveGroupings(live);
  }

  /** Of the query's groups, as in the parts of windows. */
  public GroupLayout layout() {
    return layout;
  }

  /** The number of low-level tables. */
  public int tables() {
    return groupings.size();
  }

  /** The layouts of the groupings, to whose groups rows are added. */
  public List<GroupLayout> groupings() {
    return groupings;
  }

  /** The number of the query's keys, which come first in each grouping. */
  public int leadingKeys() {
    return layout.keys().size();
  }

  /**
   * The keys of a grouping, by bit, that are not NULL in rows that count: others need no group. 0:
   * all rows do.
   */
  public long required(int grouping) {
    return counts == null ? 0 : counts.required(grouping);
  }

  /** Whether groups count for several COUNT(DISTINCT …) of the query, which once had one each. */
  public static boolean areJoined(FlowQuery live) {
    DistinctCounts counts = DistinctCounts.joined(live);
    return counts != null && counts.isJoined();
  }

  /** Whether groups of a COUNT(DISTINCT …) are made of those of another. */
  public static boolean areProjected(FlowQuery live) {
    DistinctCounts counts = DistinctCounts.joined(live);
    return counts != null && counts.isProjected();
  }

  /** Whether there are keys beyond those of the sampling: one choice may drop many groups. */
  public boolean areUneven() {
    return counts != null;
  }

  /** Whether functions keep states, which may be of any size. */
  public boolean haveStates() {
    return groupings.stream().anyMatch(grouping -> !grouping.functions().isEmpty());
  }

  /**
   * The query's groups, from all groups by grouping with these keys, at the same level, read-only;
   * the same table if they are its own.
   */
  public GroupTable count(List<GroupTable> groups) {
    if (counts == null) {
      return groups.get(0);
    }
    GroupTable counted = new GroupTable(layout, leadingKeys(), groups.get(0).sample().level());
    for (int g = 0; g < groups.size(); g++) {
      counts.count(g, groups.get(g), counted);
    }
    return counted;
  }

  /**
   * Whether groups may go ahead of a window's result. Those with later flows go twice, so states,
   * and groups that count in several windows or groups, wait.
   */
  public boolean mayGoAhead(WindowSpec window) {
    return window.windowsPerPane() == 1 && !areUneven() && !haveStates();
  }
}
