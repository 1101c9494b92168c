package org.flowmon.archive.group;

import java.util.ArrayList;
import java.util.List;

/**
 * Groups of one partition by key: each its key, then its state.
 *
 * <p>They lie in arrays that partitions share, so that what lives until the answer is written is in
 * few large arrays.
 */
final class SortedGroups {
  private static final int FIRST_LENGTH = 1 << 16;

  /** Makes room for groups, for one thread. */
  static final class Arena {
    private final List<long[]> full = new ArrayList<>();
    private long[] words = {};
    private int used;

    /** Room for so many groups, whose words hold anything. */
    SortedGroups reserve(int size, int stride) {
      int needed = Math.multiplyExact(size, stride);
      if (needed > words.length - used) {
        full.add(words);
        boolean first = words.length == 0 && needed <= FIRST_LENGTH;
        words =
            first
                ? new long[FIRST_LENGTH]
                : needed > LongArrays.LENGTH ? new long[needed] : LongArrays.take();
        used = 0;
      }
      SortedGroups groups = new SortedGroups(words, used, size, stride);
      used += needed;
      return groups;
    }

    /** The groups of a table, by key. */
    SortedGroups copy(PackedTable table, int stateWords) {
      SortedGroups groups = reserve(table.size(), 1 + stateWords);
      long[] words = groups.words;
      int at = groups.start;
      long[] states = table.states();
      for (int group : table.order()) {
        words[at] = table.key(group);
        System.arraycopy(states, table.stateAt(group), words, at + 1, stateWords);
        at += groups.stride;
      }
      return groups;
    }

    /** Forgets all groups that were made: their room is for others. */
    void clear() {
      LongArrays.give(full);
      full.clear();
      used = 0;
    }

    /** Gives the memory of all groups away, of which none can be read any more. */
    void release() {
      full.add(words);
      LongArrays.give(full);
      full.clear();
      words = new long[0];
      used = 0;
    }
  }

  private final long[] words;
  private final int start;
  private final int size;
  private final int stride;
  private boolean isPlain;

  private SortedGroups(long[] words, int start, int size, int stride) {
    this.words = words;
    this.start = start;
    this.size = size;
    this.stride = stride;
  }

  int size() {
    return size;
  }

  /** Says that each aggregate of every group is one long and not NULL. */
  void setPlain() {
    isPlain = true;
  }

  boolean isPlain() {
    return isPlain;
  }

  long key(int i) {
    return words[start + i * stride];
  }

  /** The array in which states are. */
  long[] states() {
    return words;
  }

  /** How far apart states are. */
  int stride() {
    return stride;
  }

  /** Where the state of a group begins. */
  int stateAt(int i) {
    return start + i * stride + 1;
  }
}
