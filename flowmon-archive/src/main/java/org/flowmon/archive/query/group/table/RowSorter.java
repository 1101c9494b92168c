package org.flowmon.archive.query.group.table;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.flowmon.archive.query.group.partition.CutRows;
import org.flowmon.archive.query.group.partition.LongSorter;
import org.flowmon.archive.query.group.partition.NarrowRows;
import org.flowmon.archive.query.group.partition.PartitionedRows;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.memory.GroupMemory;
import org.flowmon.udaf.vector.Vector;

/**
 * Makes the groups of a partition by sorting its rows by key. New keys are found without a branch,
 * which row by row would be unpredictable, and the groups come out in order. Not thread-safe.
 */
final class RowSorter {
  /** More rows would not stay in a core's second-level cache during sorting. */
  static final int MAX_ROWS = 1 << 16;

  /** Of what is left of the memory, at most such a part is taken: a table may need far less. */
  static final int LEFT_SHARE = 16;

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
  private final LongSorter sorter = new LongSorter();
  private final GroupMemory memory;
  private long[] sorted = {};
  private long taken; // of the memory, for words and sorter

  RowSorter(GroupLayout layout, GroupMemory memory) {
    this.layout = layout;
    this.memory = memory;
    this.accumulation = new Accumulation(layout);
    this.arguments =
        layout.arguments().stream()
            .map(argument -> CompiledExpression.of(argument).newVector())
            .toArray(Vector[]::new);
  }

  /**
   * The groups of some threads' rows of a partition; empty if rows or key bits are too many, or the
   * query has too little memory left for their order.
   */
  Optional<SortedGroups> group(List<CutRows> parts, int partition, SortedGroups.Arena arena) {
    long count = 0;
    for (CutRows part : parts) {
      count += part.rows(partition);
    }
    if (count > MAX_ROWS) {
      return Optional.empty();
    }
    int n = (int) count;
    int stride = 1 + layout.stateWords();
    if (n == 0) {
      return Optional.of(arena.reserve(0, stride));
    }
    PartitionedRows shape = parts.get(0).wide();
    if (!hasRoom(n, shape.stride())) {
      return Optional.empty();
    }
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
    int rowBits = LongSorter.bits(n - 1);
    int keyBits = LongSorter.bits(most - least);
    if (rowBits + keyBits >= Long.SIZE) {
      return Optional.empty();
    }
    for (int i = 0; i < n; i++) {
      sorted[i] = (((words[i * shape.stride()] & mask) - least) << rowBits) | i;
    }
    sorted = sorter.sort(n, 0, rowBits, keyBits);
    SortedGroups groups = arena.reserve(distinct(n, rowBits), stride);
    fill(groups, n, rowBits, least, shape, (nulls & ~mask) != 0);
    return Optional.of(groups);
  }

  private boolean hasRoom(int n, int stride) {
    long more = (long) Long.BYTES * n * (stride + LongSorter.ARRAYS) - taken;
    if (more > memory.left() / LEFT_SHARE) {
      return false;
    }
    if (more > 0) {
      memory.take(more);
      taken += more;
    }
    return true;
  }

  /** Gives the memory back; the sorter may be used again. */
  void release() {
    words = new long[0];
    sorted = new long[0];
    sorter.release();
    memory.take(-taken);
    taken = 0;
  }

  private void load(List<CutRows> parts, int partition, int n) {
    int stride = parts.get(0).wide().stride();
    words = words.length < n * stride ? new long[n * stride] : words;
    sorted = sorter.room(n);
    int at = 0;
    for (CutRows part : parts) {
      PartitionedRows wide = part.wide();
      int size = wide.rowsOfLast(partition);
      for (int block = wide.lastBlock(partition); block >= 0; block = wide.before(block)) {
        wide.copy(block, size, words, at);
        at += size * stride;
        size = PartitionedRows.BLOCK_ROWS;
      }
      if (part.narrowRows(partition) > 0) {
        at = load(part.narrow().orElseThrow(), partition, stride, at);
      }
    }
  }

  /** Loads narrow rows as wide ones. */
  private int load(NarrowRows rows, int partition, int stride, int first) {
    int n = rows.copy(partition, sorted, 0);
    int at = first;
    for (int i = 0; i < n; i++) {
      words[at] = rows.key(sorted[i]);
      if (stride > 1) {
        words[at + 1] = rows.value(sorted[i]);
      }
      at += stride;
    }
    return at;
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
    long[] out = groups.words();
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
      Arrays.fill(groups.words(), first, first - 1 + groups.size() * groups.stride(), 0);
      return;
    }
    for (int g = 0; g < groups.size(); g++) {
      layout.reset(groups.words(), groups.stateAt(g));
    }
  }
}
