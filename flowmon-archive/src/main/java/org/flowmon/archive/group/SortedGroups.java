package org.flowmon.archive.group;

/**
 * Groups of one partition by key: each its key, then its state.
 *
 * <p>They lie in arrays that partitions share, so that what lives until the answer is written is in
 * few large arrays.
 */
final class SortedGroups {
  private static final int FIRST_LENGTH = 1 << 16;
  private static final int LENGTH = 1 << 20;

  /** Makes room for groups, for one thread. */
  static final class Arena {
    private long[] words = {};
    private int used;

    /** The groups of a table, by key. */
    SortedGroups copy(PackedTable table, int stateWords) {
      int stride = 1 + stateWords;
      int size = table.size();
      int needed = Math.multiplyExact(size, stride);
      if (needed > words.length - used) {
        words = new long[Math.max(needed, words.length == 0 ? FIRST_LENGTH : LENGTH)];
        used = 0;
      }
      int at = used;
      long[] states = table.states();
      for (int group : table.order()) {
        words[at] = table.key(group);
        int state = table.stateAt(group);
        for (int w = 0; w < stateWords; w++) {
          words[at + 1 + w] = states[state + w];
        }
        at += stride;
      }
      SortedGroups groups = new SortedGroups(words, used, size, stride);
      used = at;
      return groups;
    }
  }

  private final long[] words;
  private final int start;
  private final int size;
  private final int stride;

  private SortedGroups(long[] words, int start, int size, int stride) {
    this.words = words;
    this.start = start;
    this.size = size;
    this.stride = stride;
  }

  int size() {
    return size;
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
