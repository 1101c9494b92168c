package org.flowmon.udaf.result;

import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.group.GroupTable;
import org.flowmon.udaf.order.OrderBound;
import org.flowmon.udaf.pane.WindowSpec;
import org.flowmon.udaf.query.FlowQuery;
import org.flowmon.udaf.text.QueryException;

/**
 * How the groups of a live query's windows are made. Rows are added to the groups of one or more
 * groupings on the low level, panes of these are merged on the high level, and when a window closes
 * they give the query's groups: without COUNT(DISTINCT …) the groups of the one grouping are the
 * query's, with it they are counted as {@link DistinctCounts} says.
 *
 * <p>The first keys of every grouping are the query's. The key group of a grouping's group is that
 * of these alone, so that all that counts into one group of the query is in one place. Immutable,
 * safe for many threads.
 */
public final class LiveGroupings {
  /** Different COUNT(DISTINCT …) of a live query: the low level has a table for each. */
  public static final int MAX_GROUPINGS = 16;

  private final DistinctCounts counts; // null where the groups are the query's own
  private final GroupLayout layout;
  private final List<GroupLayout> groupings;

  private LiveGroupings(FlowQuery live) {
    this.counts = DistinctCounts.of(live);
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
   * The groupings of a live query.
   *
   * @param live without parameters
   * @throws QueryException where it has no groups, too many keys and arguments of a COUNT(DISTINCT
   *     …), or too many of these
   */
  public static LiveGroupings of(FlowQuery live) {
    return new LiveGroupings(live);
  }

  /** The layout of the query's groups, which a window's part has. */
  public GroupLayout layout() {
    return layout;
  }

  /** How many tables the low level has for the query. */
  public int tables() {
    return groupings.size();
  }

  /** The layouts of the groupings, whose groups rows are added to. */
  public List<GroupLayout> groupings() {
    return groupings;
  }

  /** How many of each grouping's first keys are the query's. */
  public int leadingKeys() {
    return layout.keys().size();
  }

  /** Whether what is kept has more keys than a group is chosen by: it may be many for one. */
  public boolean areUneven() {
    return counts != null;
  }

  /** Whether functions keep states of groups, which may be of any size. */
  public boolean haveStates() {
    return groupings.stream().anyMatch(grouping -> !grouping.functions().isEmpty());
  }

  /**
   * The query's groups.
   *
   * @param groups by grouping: all of its groups with these keys, at the same level; only read
   * @return the same table where the groups are the query's own
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
   * Whether something can be done for windows' results in advance: a window has one pane, and its
   * groups are made of words alone. Those of a query that keeps all go then; of one with a limit it
   * is found out behind what none will be that is wanted.
   */
  public static boolean canAdvance(FlowQuery live, WindowSpec window) {
    LiveGroupings groupings = of(live);
    boolean hasBound = OrderBound.of(live, groupings.layout()) != null;
    return (live.keepsAllGroups() || (live.having() == null && hasBound))
        && window.windowsPerPane() == 1
        && !groupings.areUneven()
        && !groupings.haveStates()
        && new GroupTable(groupings.layout()).canBeAppended();
  }
}
