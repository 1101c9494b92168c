package org.flowmon.archive.query.group.table;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.query.group.partition.LongArrayPool;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.udaf.memory.GroupMemory;

/**
 * Groups of one partition in key order. Each is a key, then its state; or, if one sum and one count
 * determine the state, these two.
 *
 * <p>Partitions share their arrays, so that data that lives until the answer is written is in few
 * large arrays.
 */
public final class SortedGroups {
  private static final int FIRST_LENGTH = 1 << 16;

  /** Allocates groups for one thread. */
  public static final class Arena {
    private final List<long[]> full = new ArrayList<>();
    private final GroupMemory memory;
    private long[] words = {};
    private int used;

    /**
     * An arena without groups.
     *
     * @param memory charged for the arrays
     */
    public Arena(GroupMemory memory) {
      this.memory = memory;
    }

    /** Allocates so many groups, with arbitrary content. */
    public SortedGroups reserve(int size, int stride) {
      memory.check();
      int needed = LongArrayPool.words(size, stride);
      if (needed > words.length - used) {
        full.add(words);
        boolean first = words.length == 0 && needed <= FIRST_LENGTH;
        int length = first ? FIRST_LENGTH : Math.max(needed, LongArrayPool.LENGTH);
        memory.take((long) Long.BYTES * length);
        words = length == LongArrayPool.LENGTH ? LongArrayPool.take() : new long[length];
        used = 0;
      }
      SortedGroups groups = new SortedGroups(words, used, size, stride);
      used += needed;
      return groups;
    }

    /** Allocates so many groups whose states follow from a sum and a count. */
    public SortedGroups reserve(int size, SumAndCount states) {
      SortedGroups groups = reserve(size, SumAndCount.WORDS);
      groups.made = states;
      return groups;
    }

    /** Copies the groups of a table, in key order. */
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

    /** Removes all groups; their memory is reused. */
    public void clear() {
      giveFull();
      used = 0;
    }

    /** Releases the memory of all groups, none of which can be read any more. */
    public void release() {
      full.add(words);
      giveFull();
      words = new long[0];
      used = 0;
    }

    private void giveFull() {
      memory.take(-full.stream().mapToLong(array -> (long) Long.BYTES * array.length).sum());
      LongArrayPool.give(full);
      full.clear();
    }
  }

  private final long[] words;
  private final int start;
  private final int size;
  private final int stride;
  private SumAndCount made; // null if states are kept

  private SortedGroups(long[] words, int start, int size, int stride) {
    this.words = words;
    this.start = start;
    this.size = size;
    this.stride = stride;
  }

  public int size() {
    return size;
  }

  /** Whether each aggregate of every group is one long and never NULL. */
  public boolean isPlain() {
    return made != null;
  }

  public long key(int i) {
    return words[start + i * stride];
  }

  /** The array that holds the groups. */
  public long[] words() {
    return words;
  }

  /** The distance between groups, in longs. */
  public int stride() {
    return stride;
  }

  /** The start of a group's values after its key. */
  public int stateAt(int i) {
    return start + i * stride + 1;
  }

  /**
   * The states of some groups.
   *
   * @param from the first group
   * @param n number of groups
   * @param places receives the start of each state
   * @param scratch may be overwritten: room for {@code n} states or more
   * @return the array of the states
   */
  public long[] states(int from, int n, int[] places, long[] scratch) {
    if (made != null) {
      made.states(words, stateAt(from), n, places, scratch);
      return scratch;
    }
    for (int i = 0; i < n; i++) {
      places[i] = stateAt(from + i);
    }
    return words;
  }

  /**
   * Writes the low longs of an address of the first groups' keys, none of which is NULL.
   *
   * @param row of the first group
   */
  public void writeAddresses(
      PackedKey packed, AddressNumbers addresses, int n, long[] out, int row) {
    long[] from = words;
    int shift = packed.shift();
    long mask = packed.mask();
    int at = start;
    for (int i = 0; i < n; i++) {
      out[row + i] = addresses.low((int) (from[at] >>> shift & mask));
      at += stride;
    }
  }
}
