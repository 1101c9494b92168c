package org.flowmon.archive.query.group.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/**
 * Rows of one thread whose key and only argument fit one long, by partition. Not thread-safe.
 *
 * <pre>
 *   row:    0 | key | value     (a value ≥ 0; no bits without an argument)
 *   block:  32,768 rows in the order of their partitions; where each partition begins
 * </pre>
 *
 * Rows are sorted block by block, in a core's caches: writing them directly to as many places as
 * there are partitions would miss caches and page tables at every row.
 */
public final class NarrowRows {
  private static final int BLOCK_ROWS = 1 << 15;
  private static final int BLOCKS_PER_ARRAY = LongArrayPool.LENGTH / BLOCK_ROWS;

  /** Bytes of a thread's first two arrays of rows. */
  public static final long MIN_HEAP_BYTES = 2 * (8L * LongArrayPool.LENGTH) + (1 << 20);

  // Fewer bits are too few for bytes or packets; sums of more might not fit a long.
  private static final int MIN_VALUE_BITS = 16;
  private static final int MAX_VALUE_BITS = 32;

  private final PartitionMap map;
  private final int valueBits;
  private final long[] unsorted = new long[BLOCK_ROWS];
  private int size; // number of unsorted rows
  private final long[] sorted = new long[BLOCK_ROWS];
  private final char[] partitionOf = new char[BLOCK_ROWS];
  private final int[] next;
  private final long[] total; // by partition: rows in blocks
  private final List<long[]> arrays = new ArrayList<>();
  private final List<int[]> starts = new ArrayList<>(); // by block: of each partition, and the end

  NarrowRows(PartitionMap map, int valueBits) {
    this.map = map;
    this.valueBits = valueBits;
    this.next = new int[map.partitions()];
    this.total = new long[map.partitions()];
  }

  /** The bits of a row's argument; −1 if rows of a layout never fit. */
  public static int valueBits(GroupLayout layout, int keyBits) {
    List<Expression> arguments = layout.arguments();
    if (arguments.isEmpty()) {
      return 0;
    }
    int bits = Math.min(MAX_VALUE_BITS, Long.SIZE - 1 - keyBits);
    ValueKind kind = arguments.get(0).kind();
    boolean isInteger = arguments.size() == 1 && kind != null && kind.isInteger();
    return isInteger && bits >= MIN_VALUE_BITS ? bits : -1;
  }

  /**
   * Adds fitting ones of n ≤ {@link Vector#CAPACITY} rows; returns how many others {@code rest}
   * takes, in order. {@code argument} is null if there is none.
   */
  int add(long[] keys, @Nullable Vector argument, int[] selection, int n, int[] rest) {
    if (size + n > BLOCK_ROWS) {
      sort();
    }
    long[] out = unsorted;
    int at = size;
    if (argument == null) {
      for (int r = 0; r < n; r++) {
        out[at + r] = keys[selection[r]];
      }
      size = at + n;
      return 0;
    }
    long[] values = argument.values();
    boolean allValid = argument.allValid();
    int shift = valueBits;
    int others = 0;
    for (int r = 0; r < n; r++) {
      int i = selection[r];
      long value = values[i];
      out[at] = keys[i] << shift | value;
      if (value >>> shift == 0 && (allValid || argument.isValid(i))) {
        at++;
      } else {
        rest[others++] = i;
      }
    }
    size = at;
    return others;
  }

  private void sort() {
    int n = size;
    int block = starts.size();
    int array = block / BLOCKS_PER_ARRAY;
    if (array == arrays.size()) {
      arrays.add(LongArrayPool.take());
    }
    int[] counts = next;
    Arrays.fill(counts, 0);
    long[] from = unsorted;
    char[] of = partitionOf;
    int shift = valueBits;
    for (int i = 0; i < n; i++) {
      int partition = map.partition(from[i] >>> shift);
      of[i] = (char) partition;
      counts[partition]++;
    }
    int[] begins = new int[counts.length + 1];
    int first = at(block);
    int at = 0;
    for (int p = 0; p < counts.length; p++) {
      int count = counts[p];
      total[p] += count;
      begins[p] = first + at;
      counts[p] = at;
      at += count;
    }
    begins[counts.length] = first + at;
    // First into an array that stays in caches, then to memory in one go.
    long[] to = sorted;
    for (int i = 0; i < n; i++) {
      to[counts[of[i]]++] = from[i];
    }
    System.arraycopy(to, 0, arrays.get(array), first, n);
    starts.add(begins);
    size = 0;
  }

  private static int at(int block) {
    return block % BLOCKS_PER_ARRAY * BLOCK_ROWS;
  }

  void settle() {
    if (size > 0) {
      sort();
    }
  }

  long rows(int partition) {
    return total[partition];
  }

  long heapBytes() {
    int arraysInUse = (starts.size() + BLOCKS_PER_ARRAY - 1) / BLOCKS_PER_ARRAY;
    return (8L * LongArrayPool.LENGTH) * arraysInUse
        + 4L * next.length * starts.size()
        + (8L + 8L + 2L) * BLOCK_ROWS;
  }

  public int blocks() {
    return starts.size();
  }

  public long[] array(int block) {
    return arrays.get(block / BLOCKS_PER_ARRAY);
  }

  /** The start of a partition's rows in a block's array; those of the next one follow. */
  public int start(int block, int partition) {
    return starts.get(block)[partition];
  }

  /** Copies all rows of a partition; returns one past the last in the copy. */
  public int copy(int partition, long[] out, int at) {
    int end = at;
    for (int block = 0; block < starts.size(); block++) {
      int[] begins = starts.get(block);
      int n = begins[partition + 1] - begins[partition];
      System.arraycopy(array(block), begins[partition], out, end, n);
      end += n;
    }
    return end;
  }

  public long key(long row) {
    return row >>> valueBits;
  }

  public long value(long row) {
    return row & ((1L << valueBits) - 1);
  }

  void clear() {
    size = 0;
    starts.clear();
    Arrays.fill(total, 0);
  }

  void release() {
    clear();
    LongArrayPool.give(arrays);
    arrays.clear();
  }
}
