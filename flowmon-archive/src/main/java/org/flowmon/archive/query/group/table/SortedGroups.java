package org.flowmon.archive.query.group.table;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.query.group.partition.LongArrayPool;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.result.AnswerColumns;

/**
 * Groups of one partition by key: each its key, then its state, or of what one sum and one count
 * say all, these two.
 *
 * <p>They lie in arrays that partitions share, so that what lives until the answer is written is in
 * few large arrays.
 */
public final class SortedGroups {
  private static final int FIRST_LENGTH = 1 << 16;

  /** Makes room for groups, for one thread. */
  public static final class Arena {
    private final List<long[]> full = new ArrayList<>();
    private final GroupMemory memory;
    private long[] words = {};
    private int used;

    /**
     * Room for no groups yet.
     *
     * @param memory that arrays for them take
     */
    public Arena(GroupMemory memory) {
      this.memory = memory;
    }

    /** Room for so many groups, whose words hold anything. */
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

    /** Room for so many groups of which a sum and a count say all. */
    public SortedGroups reserve(int size, SumAndCount states) {
      SortedGroups groups = reserve(size, SumAndCount.WORDS);
      groups.made = states;
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
    public void clear() {
      giveFull();
      used = 0;
    }

    /** Gives the memory of all groups away, of which none can be read any more. */
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

  /** Whether each aggregate of every group is known to be one long and not NULL. */
  public boolean isPlain() {
    return made != null;
  }

  public long key(int i) {
    return words[start + i * stride];
  }

  /** The array in which groups are. */
  public long[] words() {
    return words;
  }

  /** How far apart groups are. */
  public int stride() {
    return stride;
  }

  /** Where what follows on the key of a group begins. */
  public int stateAt(int i) {
    return start + i * stride + 1;
  }

  /**
   * The states of some groups.
   *
   * @param from the first
   * @param n how many
   * @param places receives where the state of each begins
   * @param scratch may be written: of {@code n} states or more
   * @return the array they are in
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
   * Writes the low longs of an address of the first groups' keys, of which none is NULL.
   *
   * @param row where that of the first goes
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

  /**
   * Writes the aggregates of the first groups, where {@link #isPlain}.
   *
   * @param to whose aggregates are sums and counts
   * @param row that of the first
   */
  public void writeSumsAndCounts(AnswerColumns to, int n, int row) {
    int sums = start + 1;
    to.writeSumsAndCounts(words, sums, sums + 1, SumAndCount.WORDS, n, row);
  }
}
