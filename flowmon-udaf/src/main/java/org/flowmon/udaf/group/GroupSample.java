package org.flowmon.udaf.group;

import java.util.Arrays;
import org.flowmon.udaf.aggregate.GroupLayout;

/**
 * Which groups a table keeps where there are too many of them, and what the others come to. Level L
 * keeps the groups in the stable hash of whose query's keys at least L bits are zero, from bit 32
 * upwards: bits that the key group does not go by, so that each level has half of the groups of the
 * one before it, in each key group. What is kept is exact. The states of what is not are merged
 * into one, the <i>rest</i>: the sum over all groups stays exact too. A level only rises. Not
 * thread-safe.
 */
public final class GroupSample {
  /** The highest level that has groups: one of 65,536. */
  public static final int LAST = 16;

  /** The level that keeps none: where even the last one has too many. */
  public static final int NONE = LAST + 1;

  private static final int SHIFT = 32;

  private final GroupLayout layout;
  private final int level;
  // By the highest level that has them: how many groups the table holds.
  private final int[] groups = new int[LAST + 1];
  // Null as long as nothing was dropped.
  private long[] rest;
  private long[] scratch;
  private long dropped;

  /**
   * A sample without groups.
   *
   * @param layout of the states that are dropped
   * @param level 0, all groups, … {@link #NONE}
   */
  GroupSample(GroupLayout layout, int level) {
    this.layout = layout;
    this.level = level;
  }

  /** The highest level that has the groups of such a hash: 0 … {@link #LAST}. */
  static int levelOf(long hash) {
    return Long.numberOfTrailingZeros(hash >>> SHIFT | 1L << LAST);
  }

  public int level() {
    return level;
  }

  boolean keeps(long hash) {
    return levelOf(hash) >= level;
  }

  /** Notes a group that came into the table. */
  void added(long hash) {
    groups[levelOf(hash)]++;
  }

  /** Groups of the table by the highest level that has them. */
  public int[] groupsByLevel() {
    return groups;
  }

  /** Notes that the table has been emptied. */
  void clear() {
    Arrays.fill(groups, 0);
  }

  /** Drops the group whose state begins there. */
  void drop(long[] data, int at) {
    dropped++;
    takeRest(data, at);
  }

  /** Drops a group whose state lies in columns. */
  void drop(long[][] states, int row) {
    if (scratch == null) {
      scratch = new long[layout.stateWords()];
    }
    for (int w = 0; w < scratch.length; w++) {
      scratch[w] = states[w][row];
    }
    drop(scratch, 0);
  }

  /**
   * Drops those of groups in columns that it does not keep.
   *
   * @param keys whose leading keys groups are chosen by
   * @param from by group: where it comes from, which goes with it
   * @return how many are kept, which lie first in the columns then
   */
  public int keep(
      KeyColumns keys,
      long[] nulls,
      long[][] keyWords,
      long[] hashes,
      long[][] stateWords,
      int[] from,
      int count) {
    if (level == 0) {
      return count;
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
      if (!keeps(keys.leadingHash(nulls[i], keyWords, i))) {
        drop(stateWords, i);
        continue;
      }
      if (kept < i) {
        nulls[kept] = nulls[i];
        hashes[kept] = hashes[i];
        move(keyWords, i, kept);
        move(stateWords, i, kept);
        from[kept] = from[i];
      }
      kept++;
    }
    return kept;
  }

  private static void move(long[][] columns, int from, int to) {
    for (long[] column : columns) {
      column[to] = column[from];
    }
  }

  /** Takes over what another sample of the same groups dropped. */
  void take(GroupSample other) {
    dropped += other.dropped;
    if (other.rest != null) {
      takeRest(other.rest, 0);
    }
  }

  /** Takes over the merged state of groups that were dropped. */
  public void takeRest(long[] state, int at) {
    if (rest == null) {
      rest = new long[layout.stateWords()];
      layout.reset(rest, 0);
    }
    layout.merge(rest, 0, state, at);
  }

  /** The merged state of what was dropped; null where nothing was. */
  public long[] rest() {
    return rest;
  }

  /** Groups that were dropped, each as often as it came. */
  public long dropped() {
    return dropped;
  }
}
