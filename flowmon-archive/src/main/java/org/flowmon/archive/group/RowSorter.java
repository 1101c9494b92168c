package org.flowmon.archive.group;

import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.Vector;

/**
 * Makes the groups of a partition by sorting its rows by key: where a key is new, which nobody
 * could foretell row by row, is found without a branch, and the groups are in order at once. Not
 * thread-safe.
 */
final class RowSorter {
  /** More rows would not stay in a core's second-level cache while they are sorted. */
  static final int MAX_ROWS = 1 << 16;

  private static final int MAX_DIGIT_BITS = 12;
  private static final int MIN_DIGIT_BITS = 6;
  private static final int CHUNK = 256;
  private static final int[] IDENTITY = new int[CHUNK];

  static {
    Arrays.setAll(IDENTITY, i -> i);
  }

  private final GroupLayout layout;
  private final Accumulation accumulation;
  private final Vector[] arguments;
  private final int[] places = new int[CHUNK];
  private final int[] rows = new int[CHUNK];
  private long[] words = {};
  private long[] sorted = {};
  private long[] other = {};
  private int[] starts = {};

  RowSorter(GroupLayout layout) {
    this.layout = layout;
    this.accumulation = new Accumulation(layout);
    this.arguments =
        layout.arguments().stream()
            .map(argument -> CompiledExpression.of(argument).newVector())
            .toArray(Vector[]::new);
  }

  /**
   * The groups of the rows that some threads have of a partition.
   *
   * @return null where there are too many rows for it, or their keys are too far apart
   */
  SortedGroups group(List<PartitionedRows> parts, int partition, SortedGroups.Arena arena) {
    long count = 0;
    for (PartitionedRows part : parts) {
      count += part.rows(partition);
    }
    if (count > MAX_ROWS) {
      return null;
    }
    int n = (int) count;
    int stride = 1 + layout.stateWords();
    if (n == 0) {
      return arena.reserve(0, stride);
    }
    PartitionedRows shape = parts.get(0);
    load(parts, partition, n);
    long mask = shape.keyMask();
    long least = Long.MAX_VALUE;
    long most = 0;
    long nulls = 0;
    for (int i = 0; i < n; i++) {
      long word = words[i * shape.stride()];
      nulls |= word;
      least = Math.min(least, word & mask);
      most = Math.max(most, word & mask);
    }
    int rowBits = bits(n - 1);
    int keyBits = bits(most - least);
    if (rowBits + keyBits >= Long.SIZE) {
      return null;
    }
    for (int i = 0; i < n; i++) {
      sorted[i] = (((words[i * shape.stride()] & mask) - least) << rowBits) | i;
    }
    sort(n, rowBits, keyBits);
    SortedGroups groups = arena.reserve(distinct(n, rowBits), stride);
    fill(groups, n, rowBits, least, shape, (nulls & ~mask) != 0);
    return groups;
  }

  private static int bits(long most) {
    return Long.SIZE - Long.numberOfLeadingZeros(most);
  }

  private void load(List<PartitionedRows> parts, int partition, int n) {
    int length = n * parts.get(0).stride();
    words = words.length < length ? new long[length] : words;
    sorted = sorted.length < n ? new long[n] : sorted;
    other = other.length < n ? new long[n] : other;
    int at = 0;
    for (PartitionedRows part : parts) {
      int size = part.rowsOfLast(partition);
      for (int block = part.lastBlock(partition); block >= 0; block = part.before(block)) {
        part.copy(block, size, words, at);
        at += size * part.stride();
        size = PartitionedRows.BLOCK_ROWS;
      }
    }
  }

  /** Sorts the first n keys, from the lowest digit to the highest. */
  private void sort(int n, int rowBits, int keyBits) {
    int most = Math.max(MIN_DIGIT_BITS, Math.min(MAX_DIGIT_BITS, bits(n) - 1));
    int passes = (keyBits + most - 1) / most;
    if (passes == 0) {
      return;
    }
    int digitBits = (keyBits + passes - 1) / passes;
    int digits = 1 << digitBits;
    int mask = digits - 1;
    if (starts.length < passes << digitBits) {
      starts = new int[passes << digitBits];
    }
    Arrays.fill(starts, 0, passes << digitBits, 0);
    for (int pass = 0; pass < passes; pass++) {
      int shift = rowBits + pass * digitBits;
      int first = pass << digitBits;
      for (int i = 0; i < n; i++) {
        starts[first + ((int) (sorted[i] >>> shift) & mask)]++;
      }
    }
    for (int pass = 0; pass < passes; pass++) {
      int first = pass << digitBits;
      int sum = 0;
      for (int digit = first; digit < first + digits; digit++) {
        int size = starts[digit];
        starts[digit] = sum;
        sum += size;
      }
      long[] from = sorted;
      long[] to = other;
      int[] next = starts;
      int shift = rowBits + pass * digitBits;
      for (int i = 0; i < n; i++) {
        long key = from[i];
        to[next[first + ((int) (key >>> shift) & mask)]++] = key;
      }
      sorted = to;
      other = from;
    }
  }

  private int distinct(int n, int rowBits) {
    int found = 1;
    for (int i = 1; i < n; i++) {
      found += (sorted[i] >>> rowBits) != (sorted[i - 1] >>> rowBits) ? 1 : 0;
    }
    return found;
  }

  private void fill(
      SortedGroups groups,
      int n,
      int rowBits,
      long least,
      PartitionedRows shape,
      boolean hasNulls) {
    long[] out = groups.states();
    int stride = groups.stride();
    int at = groups.stateAt(0) - stride;
    reset(groups);
    int rowMask = (1 << rowBits) - 1;
    long key = -1;
    for (int from = 0; from < n; from += CHUNK) {
      int count = Math.min(CHUNK, n - from);
      for (int i = 0; i < count; i++) {
        long one = sorted[from + i];
        at += one >>> rowBits != key ? stride : 0;
        key = one >>> rowBits;
        out[at - 1] = key + least;
        places[i] = at;
        rows[i] = (int) one & rowMask;
      }
      shape.gather(words, rows, count, arguments, hasNulls);
      accumulation.add(arguments, IDENTITY, 0, count, out, places);
    }
  }

  private void reset(SortedGroups groups) {
    if (layout.startsWithZeros()) {
      int first = groups.stateAt(0);
      Arrays.fill(groups.states(), first, first - 1 + groups.size() * groups.stride(), 0);
      return;
    }
    for (int g = 0; g < groups.size(); g++) {
      layout.reset(groups.states(), groups.stateAt(g));
    }
  }
}
