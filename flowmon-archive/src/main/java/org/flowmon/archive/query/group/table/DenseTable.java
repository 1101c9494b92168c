package org.flowmon.archive.query.group.table;

import java.util.Arrays;
import java.util.List;
import org.flowmon.archive.query.group.partition.LongArrayPool;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.vector.Vector;

/** The groups of one thread if keys are so few that each has its own place. Not thread-safe. */
public final class DenseTable {
  private final GroupLayout layout;
  private final Accumulation accumulation;
  private final long[] states;
  private final boolean[] seen;
  private final int[] places = new int[Vector.CAPACITY];

  public DenseTable(GroupLayout layout, int keyBits) {
    this.layout = layout;
    this.accumulation = new Accumulation(layout);
    this.seen = new boolean[1 << keyBits];
    this.states = new long[LongArrayPool.words(seen.length, layout.stateWords())];
    for (int key = 0; key < seen.length && !layout.startsWithZeros(); key++) {
      layout.reset(states, key * layout.stateWords());
    }
  }

  public static long words(GroupLayout layout, int keyBits) {
    return (long) layout.stateWords() << keyBits;
  }

  /** Bytes of a table: its states, and a flag for each that has rows. */
  public static long bytes(GroupLayout layout, int keyBits) {
    return Long.BYTES * words(layout, keyBits) + (1L << keyBits);
  }

  /** {@code selection} has the rows' places in keys and arguments, ascending. */
  public void add(long[] keys, Vector[] arguments, int[] selection, int n) {
    int words = layout.stateWords();
    for (int r = 0; r < n; r++) {
      int key = (int) keys[selection[r]];
      seen[key] = true;
      places[r] = key * words;
    }
    accumulation.add(arguments, selection, 0, n, states, places);
  }

  public static SortedGroups merge(List<DenseTable> tables, SortedGroups.Arena arena) {
    DenseTable all = tables.get(0);
    int words = all.layout.stateWords();
    for (DenseTable other : tables.subList(1, tables.size())) {
      for (int key = 0; key < all.seen.length; key++) {
        if (other.seen[key]) {
          all.layout.merge(all.states, key * words, other.states, key * words);
          all.seen[key] = true;
        }
      }
    }
    int size = 0;
    for (boolean one : all.seen) {
      size += one ? 1 : 0;
    }
    SortedGroups groups = arena.reserve(size, 1 + words);
    int group = 0;
    for (int key = 0; key < all.seen.length; key++) {
      if (all.seen[key]) {
        int at = groups.stateAt(group++);
        groups.words()[at - 1] = key;
        System.arraycopy(all.states, key * words, groups.words(), at, words);
      }
    }
    Arrays.fill(all.seen, false); // the groups are returned once
    return groups;
  }
}
