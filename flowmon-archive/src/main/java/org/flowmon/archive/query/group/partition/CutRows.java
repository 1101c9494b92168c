package org.flowmon.archive.query.group.partition;

import java.util.Optional;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/** Rows of one thread in partitions: narrow if they fit and most do, else wide. Not thread-safe. */
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

  /** {@code many}: a million rows, not some thousands; {@code mayBeNarrow}: memory suffices. */
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

  /** Empty if no row can be narrow. */
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

  public long rows(int partition) {
    return narrowRows(partition) + wide.rows(partition);
  }

  public long narrowRows(int partition) {
    return narrow.isEmpty() ? 0 : narrow.get().rows(partition);
  }

  public long heapBytes() {
    return wide.heapBytes() + narrow.map(NarrowRows::heapBytes).orElse(0L);
  }

  public void clear() {
    wide.clear();
    narrow.ifPresent(NarrowRows::clear);
    if (!isNarrow) {
      narrow.ifPresent(NarrowRows::release); // no more will come
    }
  }

  /** No row can be read any more. */
  public void release() {
    wide.release();
    narrow.ifPresent(NarrowRows::release);
  }
}
