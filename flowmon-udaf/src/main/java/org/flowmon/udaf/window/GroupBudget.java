package org.flowmon.udaf.window;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.flowmon.udaf.group.GroupHolding;
import org.flowmon.udaf.group.GroupLimit;
import org.flowmon.udaf.group.GroupSample;
import org.flowmon.udaf.pane.PaneKey;
import org.flowmon.udaf.pane.WindowSpec;

/**
 * The limits of one task on an open window of a live query: groups, and bytes of function states.
 * All {@link WindowTables} of the query in the task share one budget. If they exceed it together,
 * each drops half of its groups of that pane, by {@linkplain GroupSample their hash}, as often as
 * needed. The excess is never more than one message of partial groups.
 *
 * <p>Results do not depend on the time of dropping, nor on the number of tasks. A window's result
 * has the lowest level that fits: <i>all</i> groups of each of its panes, in all tasks, are within
 * the {@link GroupLimit} of a pane. Like the bytes charged for a state, that level depends on the
 * flows alone. A task's level is never above it: it rises only if a part of these groups, or of
 * their rows, already exceeds the limit. {@link WindowPart#settled} takes the last step. Not
 * thread-safe.
 */
public final class GroupBudget {
  /** A task's expected groups from which it may rely on its share. */
  private static final int SURE = 2048;

  private final WindowSpec window;
  private final int keyGroups;
  private final int maxParallelism;
  private final TreeMap<PaneKey, Pane> byPane = new TreeMap<>(PaneKey.BY_TIME);
  private final List<WindowTables> members = new ArrayList<>();
  private GroupLimit ofPane;
  private long dropped;
  // The watermark at which members close panes, one after the other.
  private long closing = Long.MIN_VALUE;

  /** The groups of a pane in a task. */
  private static final class Pane {
    int level;
    int holders;
    GroupHolding held = GroupHolding.NONE;
    // Of members that have closed it, while others may still ask whether all groups fit.
    GroupHolding closed = GroupHolding.NONE;
  }

  /** An unused budget of a task with so many of the key groups of all tasks. */
  public GroupBudget(GroupLimit limit, WindowSpec window, int keyGroups, int maxParallelism) {
    this.window = window;
    this.keyGroups = keyGroups;
    this.maxParallelism = maxParallelism;
    this.ofPane = limit.ofPane(window);
  }

  public static GroupBudget unlimited(WindowSpec window) {
    return new GroupBudget(GroupLimit.NONE, window, 1, 1);
  }

  /** Changes the limit of a window; open windows do not regain dropped groups. */
  public void limit(GroupLimit limit) {
    ofPane = limit.ofPane(window);
    List.copyOf(byPane.keySet()).forEach(key -> added(key, GroupHolding.NONE));
  }

  /** The highest level of any open pane: 0 if no groups are dropped. */
  public int level() {
    int level = 0;
    for (Pane pane : byPane.values()) {
      level = pane.holders == 0 ? level : Math.max(level, pane.level);
    }
    return level;
  }

  public long groups() {
    return byPane.values().stream().mapToLong(pane -> pane.held.groups()).sum();
  }

  /** Charged for held groups. */
  public long stateBytes() {
    return byPane.values().stream().mapToLong(pane -> pane.held.stateBytes()).sum();
  }

  /** Panes that count from different ticks are separate. */
  int openPanes() {
    return (int) byPane.values().stream().filter(pane -> pane.holders > 0).count();
  }

  /** A group counts each time it is dropped. */
  public long dropped() {
    return dropped;
  }

  void dropped(long groups) {
    dropped += groups;
  }

  void join(WindowTables tables) {
    members.add(tables);
  }

  /** Registers the first groups of a member in a pane; returns the pane's level. */
  int enter(PaneKey key) {
    Pane pane = byPane.computeIfAbsent(key, k -> new Pane());
    pane.holders++;
    return pane.level;
  }

  private Pane pane(PaneKey key) {
    return Objects.requireNonNull(byPane.get(key), "no member has entered the pane");
  }

  /**
   * Registers that a member closes a pane. Its groups still count in {@link #isSure} until all
   * members have closed theirs: until one closes a pane at another watermark.
   */
  void close(PaneKey key, GroupHolding of, long watermark) {
    if (watermark != closing) {
      byPane.values().removeIf(pane -> pane.holders == 0);
      closing = watermark;
    }
    Pane pane = pane(key);
    pane.held = pane.held.minus(of);
    pane.closed = pane.closed.plus(of);
    pane.holders--;
  }

  /** Registers that a member moved its groups of a pane to another; returns the pane's level. */
  int leave(PaneKey key, GroupHolding of) {
    Pane pane = pane(key);
    pane.held = pane.held.minus(of);
    if (--pane.holders == 0 && pane.closed.equals(GroupHolding.NONE)) {
      byPane.remove(key);
    }
    return pane.level;
  }

  /** Registers new groups in an entered pane, and makes room. */
  void added(PaneKey key, GroupHolding more) {
    Pane pane = pane(key);
    pane.held = pane.held.plus(more);
    while (!pane.held.fits(ofPane) && pane.level < GroupSample.NONE) {
      raise(key, pane, pane.level + 1);
    }
  }

  /** Raises a lower level of an entered pane; returns the level. */
  int raise(PaneKey key, int level) {
    Pane pane = pane(key);
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
   * Whether the groups of panes from {@code from} to before {@code to} in this task, including
   * closed ones, are so few that all tasks together are certainly within the budget, if no more
   * come. A task's share by the hash of the keys is certain enough: if there were too many groups,
   * the task would have half of its expected number, or less, once in e^256 times. The share says
   * nothing if other groups may have much larger charges: if one key may have many groups, as with
   * COUNT(DISTINCT …) ({@code uneven}), or functions keep states ({@code withStates}). Nor if a
   * pane has two tables, whose states differ in size together.
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
