package org.flowmon.archive.query.group.partition;

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
  private final NarrowRows narrow; // null if no row can be narrow
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
    this.narrow = valueBits < 0 ? null : new NarrowRows(map, valueBits);
    this.wide = new PartitionedRows(map.partitions(), keyBits, kinds, many);
    this.isNarrow = narrow != null;
  }

  /** Narrow rows, null if no row can be narrow. */
  public NarrowRows narrow() {
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
    int left = narrow.add(keys, argument, selection, n, others);
    rows += n;
    if (left > 0) {
      wide.add(map, keys, arguments, others, left);
      wideRows += left;
      isNarrow = rows < FEW_ROWS || wideRows * WIDE_SHARE <= rows;
    }
  }

  /** Makes all rows readable; none is added any more until {@link #clear}. */
  public void settle() {
    if (narrow != null) {
      narrow.settle();
    }
  }

  /** Number of rows in a partition. */
  public long rows(int partition) {
    return narrowRows(partition) + wide.rows(partition);
  }

  /** Number of narrow rows in a partition. */
  public long narrowRows(int partition) {
    return narrow == null ? 0 : narrow.rows(partition);
  }

  /** Bytes of heap that the rows take. */
  public long heapBytes() {
    return wide.heapBytes() + (narrow == null ? 0 : narrow.heapBytes());
  }

  /** Removes all rows. */
  public void clear() {
    wide.clear();
    if (narrow != null) {
      narrow.clear();
    }
    if (narrow != null && !isNarrow) {
      narrow.release(); // no more will come
    }
  }

  /** Releases the rows' memory; no row can be read any more. */
  public void release() {
    wide.release();
    if (narrow != null) {
      narrow.release();
    }
  }
}
