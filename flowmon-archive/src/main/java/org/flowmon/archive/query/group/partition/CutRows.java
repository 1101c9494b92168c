package org.flowmon.archive.query.group.partition;

import java.util.Optional;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * Rows of one thread, cut into partitions. Rows are kept narrow if they fit, as long as most do;
 * all others wide. Not thread-safe.
 */
public final class CutRows {
  // If more than one row of so many is wide, narrow rows are no longer tried.
  private static final int WIDE_SHARE = 8;
  private static final int FEW_ROWS = 4096;

  private final PartitionMap map;
  private final Optional<NarrowRows> narrow; // empty if no row can be narrow
  private final PartitionedRows wide;
  private final int[] others = new int[Vector.CAPACITY];
  private boolean isNarrow;
  private long rows;
  private long wideRows;

  /**
   * Prepares an empty cut.
   *
   * @param kinds of the arguments
   * @param many whether to expect a million rows rather than some thousands
   * @param mayBeNarrow whether there is memory enough for narrow rows
   */
  public CutRows(
      PartitionMap map,
      GroupLayout layout,
      int keyBits,
      ValueKind[] kinds,
      boolean many,
      boolean mayBeNarrow) {
    int valueBits = mayBeNarrow ? NarrowRows.valueBits(layout, keyBits) : -1;
    this.map = map;
    this.narrow = valueBits < 0 ? Optional.empty() : Optional.of(new NarrowRows(map, valueBits));
    this.wide = new PartitionedRows(map.partitions(), keyBits, kinds, many);
    this.isNarrow = narrow.isPresent();
  }

  /** Narrow rows, empty if no row can be narrow. */
  public Optional<NarrowRows> narrow() {
    return narrow;
  }

  public PartitionedRows wide() {
    return wide;
  }

  public void add(long[] keys, Vector[] arguments, int[] selection, int n) {
    if (!isNarrow) {
      wide.add(map, keys, arguments, selection, n);
      return;
    }
    Vector argument = arguments.length == 0 ? null : arguments[0];
    int left = narrow.orElseThrow().add(keys, argument, selection, n, others);
    rows += n;
    if (left > 0) {
      wide.add(map, keys, arguments, others, left);
      wideRows += left;
      isNarrow = rows < FEW_ROWS || wideRows * WIDE_SHARE <= rows;
    }
  }

  /** Makes all rows readable; none is added any more until {@link #clear}. */
  public void settle() {
    narrow.ifPresent(NarrowRows::settle);
  }

  /** Number of rows in a partition. */
  public long rows(int partition) {
    return narrowRows(partition) + wide.rows(partition);
  }

  /** Number of narrow rows in a partition. */
  public long narrowRows(int partition) {
    return narrow.isEmpty() ? 0 : narrow.get().rows(partition);
  }

  /** Bytes of heap that the rows take. */
  public long heapBytes() {
    return wide.heapBytes() + narrow.map(NarrowRows::heapBytes).orElse(0L);
  }

  /** Removes all rows. */
  public void clear() {
    wide.clear();
    narrow.ifPresent(NarrowRows::clear);
    if (!isNarrow) {
      narrow.ifPresent(NarrowRows::release); // no more will come
    }
  }

  /** Releases the rows' memory; no row can be read any more. */
  public void release() {
    wide.release();
    narrow.ifPresent(NarrowRows::release);
  }
}
