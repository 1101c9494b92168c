package org.flowmon.archive.query.group.table;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.query.group.partition.LongArrayPool;
import org.flowmon.archive.query.numbering.AddressNumbers;
import org.flowmon.udaf.memory.GroupMemory;

/**
 * A partition's groups in key order: each a key, then its state or, if they determine it, a sum and
 * a count. Partitions share few large arrays, which live until the answer is written.
 */
public final class SortedGroups {
  private static final int FIRST_LENGTH = 1 << 16;

  /** Allocates groups for one thread. */
  public static final class Arena {
    private final List<long[]> full = new ArrayList<>();
    private final GroupMemory memory;
    private long[] words = {};
    private int used;

    public Arena(GroupMemory memory) {
      this.memory = memory;
    }

    /** Allocates so many groups, with arbitrary content. */
    public SortedGroups reserve(int size, int stride) {
      return reserve(size, stride, Optional.empty());
    }

    private SortedGroups reserve(int size, int stride, Optional<SumAndCount> made) {
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
      SortedGroups groups = new SortedGroups(words, used, size, stride, made);
      used += needed;
      return groups;
    }

    public SortedGroups reserve(int size, SumAndCount states) {
      return reserve(size, SumAndCount.WORDS, Optional.of(states));
    }

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

    /** No group can be read any more. */
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
  private final Optional<SumAndCount> made; // empty if states are kept

  private SortedGroups(long[] words, int start, int size, int stride, Optional<SumAndCount> made) {
    this.words = words;
    this.start = start;
    this.size = size;
    this.stride = stride;
    this.made = made;
  }

  public int size() {
    return size;
  }

  /** Whether each aggregate of every group is one long and never NULL. */
  public boolean isPlain() {
    return made.isPresent();
  }

  public long key(int i) {
    return words[start + i * stride];
  }

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
   * Returns the array of n states; {@code places} receive their starts. {@code scratch} may be
   * overwritten: room for {@code n} states or more.
   */
  public long[] states(int from, int n, int[] places, long[] scratch) {
    if (made.isPresent()) {
      made.get().states(words, stateAt(from), n, places, scratch);
      return scratch;
    }
    for (int i = 0; i < n; i++) {
      places[i] = stateAt(from + i);
    }
    return words;
  }

  /** Writes the low longs of the first groups' keys, none NULL; {@code row} is of the first. */
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
