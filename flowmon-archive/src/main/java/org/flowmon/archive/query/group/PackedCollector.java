package org.flowmon.archive.query.group;

import java.util.Arrays;
import java.util.Optional;
import org.flowmon.archive.query.group.partition.CutRows;
import org.flowmon.archive.query.group.partition.PartitionedRows;
import org.flowmon.archive.query.group.table.DenseTable;
import org.flowmon.archive.query.group.table.PackedTable;
import org.flowmon.archive.query.group.table.RowAdder;
import org.flowmon.archive.segment.reader.EncodedRows;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.value.ValueKind;
import org.flowmon.udaf.vector.Vector;

/**
 * Collects a thread's rows for {@link PackedGrouper}: cuts them by partition and, whenever they
 * fill their memory, adds them to groups partition by partition. Not thread-safe.
 */
public final class PackedCollector implements RowCollector {
  // Number of rows whose keys are sampled for the distribution of keys.
  private static final int SAMPLE = 1 << 14;

  private final PackedGrouper groups;
  private final KeyReader keyReader;
  private final RowAdder adder;
  private final Optional<DenseTable> dense; // empty if keys are many
  private final SharedLongs shared;
  private final CompiledExpression[] arguments;
  private final ValueKind[] kinds;
  private final Vector[] vectors;
  private final long[] keys = new long[Vector.CAPACITY];
  private final int[] shifted = new int[Vector.CAPACITY];

  private Optional<Cut> cut = Optional.empty();
  private final PartitionedRows early; // before keys are cut
  private int earlyRows;

  /** Rows by partition. */
  private record Cut(PackedGrouper.Partitions partitions, CutRows rows) {}

  PackedCollector(PackedGrouper groups, KeyReader keyReader) {
    this.groups = groups;
    this.keyReader = keyReader;
    this.adder = new RowAdder(groups.layout());
    this.arguments =
        groups.layout().arguments().stream()
            .map(CompiledExpression::of)
            .toArray(CompiledExpression[]::new);
    this.kinds = Arrays.stream(arguments).map(CompiledExpression::kind).toArray(ValueKind[]::new);
    this.vectors =
        Arrays.stream(arguments).map(CompiledExpression::newVector).toArray(Vector[]::new);
    this.shared = new SharedLongs(groups.layout().arguments());
    this.dense =
        groups.isDense()
            ? Optional.of(new DenseTable(groups.layout(), groups.keyBits()))
            : Optional.empty();
    this.early = groups.earlyRows(kinds);
  }

  @Override
  public void begin(SegmentReader segment) {
    keyReader.begin(segment);
  }

  @Override
  public void add(EncodedRows flows, int from, int[] selection, int n) {
    if (n == 0) {
      return;
    }
    int first = selection[0];
    int count = selection[n - 1] - first + 1;
    keyReader.read(flows, from + first, count, keys);
    FlowRows seen = shared.of(flows, from + first, count);
    for (int a = 0; a < arguments.length; a++) {
      arguments[a].evaluate(seen, from + first, count, vectors[a]);
    }
    for (int r = 0; r < n; r++) {
      shifted[r] = selection[r] - first;
    }
    if (dense.isPresent()) {
      dense.get().add(keys, vectors, shifted, n);
      return;
    }
    if (cut.isPresent()) {
      CutRows rows = cut.get().rows();
      rows.add(keys, vectors, shifted, n);
      if (rows.heapBytes() >= groups.maxHeapBytes()) {
        flush(cut.get().partitions(), rows);
      }
      return;
    }
    early.add(null, keys, vectors, shifted, n);
    earlyRows += n;
    if (earlyRows >= SAMPLE) {
      cut();
    }
  }

  /** Cuts the keys, once rows are enough to know their distribution, and the early rows. */
  private void cut() {
    PackedGrouper.Partitions partitions = groups.cut(() -> adder.keys(early, 0));
    CutRows rows = groups.newRows(partitions.map, kinds);
    adder.cut(early, rows);
    early.release();
    cut = Optional.of(new Cut(partitions, rows));
  }

  private void flush(PackedGrouper.Partitions partitions, CutRows rows) {
    rows.settle();
    int count = partitions.tables.length;
    // Threads begin at different partitions, so that they do not wait for each other.
    int begin = groups.firstToFlush(count);
    for (int i = 0; i < count; i++) {
      int partition = (begin + i) % count;
      if (rows.rows(partition) > 0) {
        PackedTable table = partitions.tables[partition];
        synchronized (table) {
          adder.add(rows, partition, table);
        }
      }
    }
    rows.clear();
  }

  @Override
  public void end() {
    if (cut.isEmpty() && earlyRows > 0) {
      cut();
    }
    cut.ifPresent(some -> some.rows().settle());
  }

  /** Empty unless keys are few. */
  Optional<DenseTable> dense() {
    return dense;
  }

  Optional<CutRows> rest() {
    return cut.map(Cut::rows);
  }
}
