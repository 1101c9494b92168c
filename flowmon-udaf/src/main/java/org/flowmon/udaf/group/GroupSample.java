package org.flowmon.udaf.group;

import java.util.Arrays;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.jspecify.annotations.Nullable;

/**
 * A sample of a window's too many groups, and the merged rest. Level L keeps the groups whose
 * stable hash of the query's keys has at least L zero bits, from bit 32 upwards. Key groups do not
 * depend on these bits: each level halves the groups of each key group. Kept groups are exact. The
 * states of dropped groups are merged into one, the <i>rest</i>: the sum over all groups stays
 * exact. A level only rises. Not thread-safe.
 */
public final class GroupSample {
  /** The highest level that keeps groups: one of 65,536. */
  public static final int LAST = 16;

  /** Keeps no group: used if even the last level has too many. */
  public static final int NONE = LAST + 1;

  private static final int SHIFT = 32;

  private final GroupLayout layout;
  private final int level;
  private final int[] groups = new int[LAST + 1];
  // Null until a group is dropped.
  private long @Nullable [] rest;
  private long[] scratch = {};
  private long dropped;

  /** A sample without groups, at level 0 (all groups) … {@link #NONE}. */
  GroupSample(GroupLayout layout, int level) {
    this.layout = layout;
    this.level = level;
  }

  /** The highest level that keeps the groups of such a hash: 0 … {@link #LAST}. */
  static int levelOf(long hash) {
    return Long.numberOfTrailingZeros(hash >>> SHIFT | 1L << LAST);
  }

  public int level() {
    return level;
  }

  boolean keeps(long hash) {
    return levelOf(hash) >= level;
  }

  void added(long hash) {
    groups[levelOf(hash)]++;
  }

  /** By the highest level that keeps them. */
  public int[] groupsByLevel() {
    return groups;
  }

  void clear() {
    Arrays.fill(groups, 0);
  }

  /** Drops the group whose state begins at {@code at}. */
  void drop(long[] data, int at) {
    dropped++;
    takeRest(data, at);
  }

  void drop(long[][] states, int row) {
    if (scratch.length < layout.stateWords()) {
      scratch = new long[layout.stateWords()];
    }
    for (int w = 0; w < scratch.length; w++) {
      scratch[w] = states[w][row];
    }
    drop(scratch, 0);
  }

  /**
   * Drops the groups in columns that the level does not keep; moves the others, with their origin
   * {@code from}, to the front. Returns their number.
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

  /** Takes over the dropped groups of another sample of the same groups. */
  void take(GroupSample other) {
    dropped += other.dropped;
    if (other.rest != null) {
      takeRest(other.rest, 0);
    }
  }

  public void takeRest(long[] state, int at) {
    if (rest == null) {
      rest = new long[layout.stateWords()];
      layout.reset(rest, 0);
    }
    layout.merge(rest, 0, state, at);
  }

  /** Null if no group was dropped. */
  public long @Nullable [] rest() {
    return rest;
  }

  /** The number of dropped groups; a group counts each time it is dropped. */
  public long dropped() {
    return dropped;
  }
}
