package org.flowmon.udaf.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * How many groups one task may hold of an open window of a live query. All {@link WindowTables} of
 * the query in the task share one; where they hold more together, each drops half of its groups, of
 * that pane, by {@linkplain GroupSample their hash}, as often as it takes.
 *
 * <p>What is reported does not depend on when that was, nor on how many tasks there are. A window's
 * result is of the lowest level at which <i>all</i> groups of each of its panes, in all tasks, are
 * within {@link #paneGroups}: a matter of the set of its groups alone. A task's level is never
 * above that, as it rises only where a part of these groups is more than that already. {@link
 * WindowPart#settled} is that last step. Not thread-safe.
 */
public final class GroupBudget {
  /** Groups that a task is to expect where its part of them is taken for granted. */
  private static final int SURE = 2048;

  private final int panes;
  private final int keyGroups;
  private final int maxParallelism;
  private final TreeMap<PaneKey, Pane> byPane = new TreeMap<>(PaneKey.BY_TIME);
  private final List<WindowTables> members = new ArrayList<>();
  private long paneGroups;
  private long dropped;
  // The watermark at which members close panes now, one member after the other.
  private long closing = Long.MIN_VALUE;

  /** What a task holds of a pane. */
  private static final class Pane {
    int level;
    int holders;
    long groups;
    // Of members that have closed it, while others may still ask whether all groups fit.
    long closed;
  }

  /**
   * A budget of which nothing is used.
   *
   * @param windowGroups groups of an open window, at most; of a query with COUNT(DISTINCT …) those
   *     of keys and arguments
   * @param window what the panes are of
   * @param keyGroups in the task
   * @param maxParallelism key groups in all tasks
   */
  public GroupBudget(long windowGroups, WindowSpec window, int keyGroups, int maxParallelism) {
    this.panes = window.windowsPerPane();
    this.keyGroups = keyGroups;
    this.maxParallelism = maxParallelism;
    this.paneGroups = paneGroups(windowGroups, window);
  }

  /** A budget that is never used up. */
  static GroupBudget unlimited(WindowSpec window) {
    return new GroupBudget(Long.MAX_VALUE, window, 1, 1);
  }

  /** Groups of one pane, at most: each of a window's panes may have an equal share. */
  public static long paneGroups(long windowGroups, WindowSpec window) {
    return Math.max(1, windowGroups / window.windowsPerPane());
  }

  /** Changes how many groups of a window there may be; open windows keep the level they have. */
  public void limit(long windowGroups) {
    paneGroups = Math.max(1, windowGroups / panes);
    List.copyOf(byPane.keySet()).forEach(key -> added(key, 0));
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
    return byPane.values().stream().mapToLong(pane -> pane.groups).sum();
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
  void close(PaneKey key, long groups, long watermark) {
    if (watermark != closing) {
      byPane.values().removeIf(pane -> pane.holders == 0);
      closing = watermark;
    }
    Pane pane = byPane.get(key);
    pane.groups -= groups;
    pane.closed += groups;
    pane.holders--;
  }

  /**
   * Notes that one of the members has moved its groups of a pane to another; returns the pane's
   * level.
   */
  int leave(PaneKey key, long groups) {
    Pane pane = byPane.get(key);
    pane.groups -= groups;
    if (--pane.holders == 0 && pane.closed == 0) {
      byPane.remove(key);
    }
    return pane.level;
  }

  /** Notes groups that came into a pane that a member has entered, and makes room. */
  void added(PaneKey key, long groups) {
    Pane pane = byPane.get(key);
    pane.groups += groups;
    while (pane.groups > paneGroups && pane.level < GroupSample.NONE) {
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
    pane.groups = 0;
    for (WindowTables member : members) {
      pane.groups += member.raise(key, level);
    }
  }

  /**
   * Whether the groups of some panes in this task, closed ones too, are so few that all tasks
   * together are within the budget for certain, if no more come. Where a task has its part of them
   * by the hash of their keys it is certain enough: were there too many, it would have half of what
   * it is to expect, or less, once in e^256 times.
   *
   * @param from start of the first of these panes
   * @param to start of the first behind them
   * @param uneven whether one key may have many groups, as with COUNT(DISTINCT …)
   */
  boolean isSure(long from, long to, boolean uneven) {
    double expected = (double) paneGroups * keyGroups / maxParallelism;
    boolean all = keyGroups == maxParallelism;
    double most = all ? paneGroups : uneven || expected < SURE ? -1 : expected / 2;
    boolean sure = most >= 0;
    long start = Long.MIN_VALUE;
    long groups = 0;
    for (Map.Entry<PaneKey, Pane> pane : byPane.subMap(first(from), first(to)).entrySet()) {
      groups = pane.getKey().start() == start ? groups : 0;
      start = pane.getKey().start();
      groups += pane.getValue().groups + pane.getValue().closed;
      sure &= groups <= most && pane.getValue().level == 0;
    }
    return sure;
  }

  private static PaneKey first(long paneStart) {
    return new PaneKey(paneStart, Long.MIN_VALUE, Long.MIN_VALUE);
  }
}
