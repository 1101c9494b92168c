package org.flowmon.archive.query.group.table;

import java.util.List;
import java.util.Optional;
import org.flowmon.archive.query.group.partition.CutRows;
import org.flowmon.archive.query.group.partition.LongSorter;
import org.flowmon.archive.query.group.partition.NarrowRows;
import org.flowmon.udaf.aggregate.GroupLayout;

/** Groups narrow rows of a partition, with counts and sums, by sorting. Not thread-safe. */
public final class NarrowSorter {
  /** More rows would take more than 7 MiB of a thread during sorting. */
  static final int MAX_ROWS = 1 << 18;

  private final int valueBits; // −1 if no row is narrow
  private final Optional<SumAndCount> states;
  private final LongSorter sorter = new LongSorter();
  private long[] sums = {};
  private int[] ends = {};

  public NarrowSorter(GroupLayout layout, int keyBits) {
    this.states = SumAndCount.of(layout);
    this.valueBits = NarrowRows.valueBits(layout, keyBits);
  }

  /** Whether some threads' rows of a partition are all narrow, and not too many. */
  public boolean canSort(List<CutRows> parts, int partition) {
    long count = 0;
    boolean areNarrow = valueBits >= 0 && states.isPresent();
    for (CutRows part : parts) {
      areNarrow &= part.wide().lastBlock(partition) < 0;
      count += part.narrowRows(partition);
    }
    return areNarrow && count <= MAX_ROWS;
  }

  /** The groups of some threads' rows of a partition, for which {@link #canSort} holds. */
  public SortedGroups group(List<CutRows> parts, int partition, SortedGroups.Arena arena) {
    int n = 0;
    for (CutRows part : parts) {
      n += (int) part.narrowRows(partition);
    }
    if (n == 0) {
      return arena.reserve(0, states.orElseThrow());
    }
    long[] rows = sorter.room(n);
    int loaded = 0;
    for (CutRows part : parts) {
      if (part.narrowRows(partition) > 0) {
        loaded = part.narrow().orElseThrow().copy(partition, rows, loaded);
      }
    }
    long least = Long.MAX_VALUE;
    long most = 0;
    for (int i = 0; i < n; i++) {
      least = Math.min(least, rows[i]);
      most = Math.max(most, rows[i]);
    }
    long base = least >>> valueBits << valueBits;
    int bits = LongSorter.bits((most - base) >>> valueBits);
    long[] sorted = sorter.sort(n, base, valueBits, bits);
    int groups = add(sorted, n);
    return write(sorted, groups, arena.reserve(groups, states.orElseThrow()));
  }

  /** Adds up by key without an unpredictable branch at a new one; returns the number of keys. */
  private int add(long[] rows, int n) {
    sums = sums.length < n ? new long[rows.length] : sums;
    ends = ends.length < n ? new int[rows.length] : ends;
    long[] sumOf = sums;
    int[] endOf = ends;
    int shift = valueBits;
    long mask = (1L << shift) - 1;
    long key = -1;
    long sum = 0;
    int group = -1;
    for (int i = 0; i < n; i++) {
      long row = rows[i];
      boolean isNew = row >>> shift != key;
      key = row >>> shift;
      group += isNew ? 1 : 0;
      sum = isNew ? 0 : sum;
      sum += row & mask;
      sumOf[group] = sum;
      endOf[group] = i + 1;
    }
    return group + 1;
  }

  private SortedGroups write(long[] sorted, int n, SortedGroups groups) {
    long[] out = groups.words();
    int at = groups.stateAt(0);
    int begin = 0;
    for (int g = 0; g < n; g++) {
      int end = ends[g];
      out[at - 1] = sorted[begin] >>> valueBits;
      out[at] = sums[g];
      out[at + 1] = (long) end - begin;
      begin = end;
      at += SumAndCount.WORDS;
    }
    return groups;
  }
}
