package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.flowmon.udaf.group.GroupHolding;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.group.GroupSample;
import org.flowmon.udaf.pane.PaneKey;
import org.flowmon.udaf.pane.WindowSpec;

/**
 * What one task may hold of an open window of a live query: groups, and bytes of the states that
 * functions keep of them. All {@link WindowTables} of the query in the task share one; where they
 * hold more together, each drops half of its groups, of that pane, by {@linkplain GroupSample their
 * hash}, as often as it takes. Beyond the limit there is never more than one message of partial
 * groups.
 *
 * <p>What is reported does not depend on when that was, nor on how many tasks there are. A window's
 * result is of the lowest level at which <i>all</i> groups of each of its panes, in all tasks, are
 * within the {@link GroupLimit} of a pane: a matter of its flows alone, as what is counted for a
 * state is. A task's level is never above that, as it rises only where a part of these groups, or
 * of their rows, is more than that already. {@link WindowPart#settled} is that last step. Not
 * thread-safe.
 */
public final class GroupBudget {
  /** Groups that a task is to expect where its part of them is taken for granted. */
  private static final int SURE = 2048;

  private final WindowSpec window;
  private final int keyGroups;
  private final int maxParallelism;
  private final TreeMap<PaneKey, Pane> byPane = new TreeMap<>(PaneKey.BY_TIME);
  private final List<WindowTables> members = new ArrayList<>();
  private GroupLimit ofPane;
  private long dropped;
  // The watermark at which members close panes now, one member after the other.
  private long closing = Long.MIN_VALUE;

  /** What a task holds of a pane. */
  private static final class Pane {
    int level;
    int holders;
    GroupHolding held = GroupHolding.NONE;
    // Of members that have closed it, while others may still ask whether all groups fit.
    GroupHolding closed = GroupHolding.NONE;
  }

  /**
   * A budget of which nothing is used.
   *
   * @param limit of an open window
   * @param window what the panes are of
   * @param keyGroups in the task
   * @param maxParallelism key groups in all tasks
   */
  public GroupBudget(GroupLimit limit, WindowSpec window, int keyGroups, int maxParallelism) {
    this.window = window;
    this.keyGroups = keyGroups;
    this.maxParallelism = maxParallelism;
    this.ofPane = limit.ofPane(window);
  }

  /** A budget that is never used up. */
  public static GroupBudget unlimited(WindowSpec window) {
    return new GroupBudget(GroupLimit.NONE, window, 1, 1);
  }

  /** Changes the limit of a window; open windows do not get back what they have dropped. */
  public void limit(GroupLimit limit) {
    ofPane = limit.ofPane(window);
    List.copyOf(byPane.keySet()).forEach(key -> added(key, GroupHolding.NONE));
  }

  /** The highest level of any open pane: 0 where all groups are there. */
  public int level() {
    int level = 0;
    for (Pane pane : byPane.values()) {
      level = pane.holders == 0 ? level : Math.max(level, pane.level);
    }
    return level;
  }

  /** Groups that are held. */
  public long groups() {
    return byPane.values().stream().mapToLong(pane -> pane.held.groups()).sum();
  }

  /** What is counted for the states of the groups that are held. */
  public long stateBytes() {
    return byPane.values().stream().mapToLong(pane -> pane.held.stateBytes()).sum();
  }

  /** How many panes there are, those apart that count from different ticks on. */
  int openPanes() {
    return (int) byPane.values().stream().filter(pane -> pane.holders > 0).count();
  }

  /** Groups that were dropped, each as often as it came. */
  public long dropped() {
    return dropped;
  }

  /** Notes groups that were dropped. */
  void dropped(long groups) {
    dropped += groups;
  }

  void join(WindowTables tables) {
    members.add(tables);
  }

  /** Notes that one of the members begins to hold groups of a pane; returns the pane's level. */
  int enter(PaneKey key) {
    Pane pane = byPane.computeIfAbsent(key, k -> new Pane());
    pane.holders++;
    return pane.level;
  }

  /**
   * Notes that one of the members closes a pane at a watermark. What it had of it counts in {@link
   * #isSure} until all members have closed theirs: until one of them does so at another watermark.
   */
  void close(PaneKey key, GroupHolding of, long watermark) {
    if (watermark != closing) {
      byPane.values().removeIf(pane -> pane.holders == 0);
      closing = watermark;
    }
    Pane pane = byPane.get(key);
    pane.held = pane.held.minus(of);
    pane.closed = pane.closed.plus(of);
    pane.holders--;
  }

  /**
   * Notes that one of the members has moved its groups of a pane to another; returns the pane's
   * level.
   */
  int leave(PaneKey key, GroupHolding of) {
    Pane pane = byPane.get(key);
    pane.held = pane.held.minus(of);
    if (--pane.holders == 0 && pane.closed.equals(GroupHolding.NONE)) {
      byPane.remove(key);
    }
    return pane.level;
  }

  /** Notes what came into a pane that a member has entered, and makes room. */
  void added(PaneKey key, GroupHolding more) {
    Pane pane = byPane.get(key);
    pane.held = pane.held.plus(more);
    while (!pane.held.fits(ofPane) && pane.level < GroupSample.NONE) {
      raise(key, pane, pane.level + 1);
    }
  }

  /** Raises the level of a pane that a member has entered, where it is lower; returns it. */
  int raise(PaneKey key, int level) {
    Pane pane = byPane.get(key);
    if (pane.level < level) {
      raise(key, pane, level);
    }
    return pane.level;
  }

  private void raise(PaneKey key, Pane pane, int level) {
    pane.level = level;
    pane.held = GroupHolding.NONE;
    for (WindowTables member : members) {
      pane.held = pane.held.plus(member.raise(key, level));
    }
  }

  /**
   * Whether the groups of some panes in this task, closed ones too, are so few that all tasks
   * together are within the budget for certain, if no more come. Where a task has its part of them
   * by the hash of their keys it is certain enough: were there too many, it would have half of what
   * it is to expect, or less, once in e^256 times. Groups of which others may be much larger, by
   * what is counted for them, say nothing of these; and of two tables of a pane the states are
   * another size together.
   *
   * @param from start of the first of these panes
   * @param to start of the first behind them
   * @param uneven whether one key may have many groups, as with COUNT(DISTINCT …)
   * @param withStates whether functions keep states of the groups
   */
  boolean isSure(long from, long to, boolean uneven, boolean withStates) {
    double expected = (double) ofPane.groups() * keyGroups / maxParallelism;
    boolean all = keyGroups == maxParallelism;
    boolean isPart = uneven || withStates || expected < SURE;
    double most = all ? ofPane.groups() : isPart ? -1 : expected / 2;
    boolean sure = most >= 0;
    long start = Long.MIN_VALUE;
    long groups = 0;
    for (Map.Entry<PaneKey, Pane> entry :
        byPane.subMap(PaneKey.first(from), PaneKey.first(to)).entrySet()) {
      Pane pane = entry.getValue();
      boolean isSecond = entry.getKey().start() == start;
      groups = isSecond ? groups : 0;
      start = entry.getKey().start();
      groups += pane.held.groups() + pane.closed.groups();
      sure &= groups <= most && pane.level == 0;
      long stateBytes = pane.held.stateBytes() + pane.closed.stateBytes();
      sure &= !withStates || (!isSecond && stateBytes <= ofPane.stateBytes());
    }
    return sure;
  }
}
