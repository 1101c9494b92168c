package org.flowmon.archive.group;

import java.util.Arrays;
import org.flowmon.archive.segment.EncodedRows;
import org.flowmon.archive.segment.SegmentReader;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.expression.Vector;
import org.flowmon.udaf.query.ValueKind;

/**
 * Collects the rows of one thread into {@link PackedGroups}: cut by partition, and partition by
 * partition into groups whenever they take as much memory as they may. Not thread-safe.
 */
public final class PackedCollector {
  // Rows whose keys say how keys are spread.
  private static final int SAMPLE = 1 << 14;

  private final PackedGroups groups;
  private final KeyReader keyReader;
  private final Accumulation accumulation;
  private final CompiledExpression[] arguments;
  private final ValueKind[] kinds;
  private final Vector[] vectors;
  private final Vector[] kept;
  private final long[] keys = new long[Vector.CAPACITY];
  private final int[] shifted = new int[Vector.CAPACITY];
  private final int[] places = new int[Vector.CAPACITY];

  // Null until keys are cut; then early rows are no more.
  private PackedGroups.Partitions partitions;
  private PartitionedRows rows;
  private int earlyRows;

  PackedCollector(PackedGroups groups, KeyReader keyReader) {
    this.groups = groups;
    this.keyReader = keyReader;
    this.accumulation = new Accumulation(groups.layout());
    this.arguments =
        groups.layout().arguments().stream()
            .map(CompiledExpression::of)
            .toArray(CompiledExpression[]::new);
    this.kinds = Arrays.stream(arguments).map(CompiledExpression::kind).toArray(ValueKind[]::new);
    this.vectors = newVectors();
    this.kept = newVectors();
    this.rows = new PartitionedRows(1, groups.keyBits(), kinds);
  }

  private Vector[] newVectors() {
    return Arrays.stream(arguments).map(CompiledExpression::newVector).toArray(Vector[]::new);
  }

  /** Rows that follow are of this segment. */
  public void begin(SegmentReader segment) {
    keyReader.begin(segment);
  }

  /**
   * Adds rows that the query's filter has chosen already.
   *
   * @param from first row of the range that the selection is relative to
   * @param selection rows relative to {@code from}, ascending, below {@link Vector#CAPACITY}
   * @param n how many of them
   */
  public void add(EncodedRows flows, int from, int[] selection, int n) {
    if (n == 0) {
      return;
    }
    int first = selection[0];
    int count = selection[n - 1] - first + 1;
    keyReader.read(flows, from + first, count, keys);
    for (int a = 0; a < arguments.length; a++) {
      arguments[a].evaluate(flows, from + first, count, vectors[a]);
    }
    for (int r = 0; r < n; r++) {
      shifted[r] = selection[r] - first;
    }
    if (partitions != null) {
      rows.add(partitions.map, keys, vectors, shifted, n);
      if (rows.heapBytes() >= groups.maxHeapBytes()) {
        flush();
      }
      return;
    }
    rows.add(null, keys, vectors, shifted, n);
    earlyRows += n;
    if (earlyRows >= SAMPLE) {
      cut();
    }
  }

  /** Cuts the keys, as there are enough rows to say how they are spread, and the early rows. */
  private void cut() {
    PartitionedRows early = rows;
    long[] sample = new long[earlyRows];
    partitions = groups.partitions();
    if (partitions == null) {
      int n = 0;
      int size = early.rowsOfLast(0);
      for (int block = early.lastBlock(0); block >= 0; block = early.before(block)) {
        early.read(block, size, keys, kept);
        System.arraycopy(keys, 0, sample, n, size);
        n += size;
        size = PartitionedRows.BLOCK_ROWS;
      }
      partitions = groups.cut(sample, n);
    }
    rows = new PartitionedRows(partitions.tables.length, groups.keyBits(), kinds);
    int[] all = new int[PartitionedRows.BLOCK_ROWS];
    Arrays.setAll(all, i -> i);
    int size = early.rowsOfLast(0);
    for (int block = early.lastBlock(0); block >= 0; block = early.before(block)) {
      early.read(block, size, keys, kept);
      rows.add(partitions.map, keys, kept, all, size);
      size = PartitionedRows.BLOCK_ROWS;
    }
  }

  /** Adds all rows to the groups of their partitions. */
  private void flush() {
    int count = rows.partitions();
    // Threads begin at different partitions, so that they do not wait for each other.
    int begin = groups.firstToFlush(count);
    for (int i = 0; i < count; i++) {
      int partition = (begin + i) % count;
      int block = rows.lastBlock(partition);
      if (block < 0) {
        continue;
      }
      PackedTable table = partitions.tables[partition];
      synchronized (table) {
        int size = rows.rowsOfLast(partition);
        table.expect(rows.rows(partition));
        for (; block >= 0; block = rows.before(block)) {
          rows.read(block, size, keys, kept);
          table.add(keys, kept, size, accumulation, places);
          size = PartitionedRows.BLOCK_ROWS;
        }
      }
    }
    rows.clear();
  }

  /** Ends: all rows are in the groups. */
  public void end() {
    if (partitions == null && earlyRows > 0) {
      cut();
    }
    if (partitions != null) {
      flush();
    }
    rows = null;
  }
}
