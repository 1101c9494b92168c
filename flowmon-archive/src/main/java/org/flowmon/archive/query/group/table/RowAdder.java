package org.flowmon.archive.query.group.table;

import java.util.Arrays;
import org.flowmon.archive.query.group.partition.CutRows;
import org.flowmon.archive.query.group.partition.NarrowRows;
import org.flowmon.archive.query.group.partition.PartitionedRows;
import org.flowmon.udaf.aggregate.Accumulation;
import org.flowmon.udaf.aggregate.GroupLayout;
import org.flowmon.udaf.expression.CompiledExpression;
import org.flowmon.udaf.value.ResultTable;
import org.flowmon.udaf.vector.Vector;

/** Adds the rows of a partition to a table. Not thread-safe, but several may read the same rows. */
public final class RowAdder {
  private final Accumulation accumulation;
  private final long[] keys = new long[PartitionedRows.BLOCK_ROWS];
  private final Vector[] arguments;
  private final int[] places = new int[PartitionedRows.BLOCK_ROWS];

  public RowAdder(GroupLayout layout) {
    this.accumulation = new Accumulation(layout);
    this.arguments =
        layout.arguments().stream()
            .map(argument -> CompiledExpression.of(argument).newVector())
            .toArray(Vector[]::new);
  }

  public void add(CutRows rows, int partition, PackedTable table) {
    add(rows.wide(), partition, table);
    if (rows.narrowRows(partition) == 0) {
      return;
    }
    NarrowRows narrow = rows.narrow().orElseThrow();
    for (int block = 0; block < narrow.blocks(); block++) {
      int end = narrow.start(block, partition + 1);
      for (int at = narrow.start(block, partition); at < end; at += PartitionedRows.BLOCK_ROWS) {
        int size = Math.min(PartitionedRows.BLOCK_ROWS, end - at);
        read(narrow, narrow.array(block), at, size);
        table.add(keys, arguments, size, accumulation, places);
      }
    }
  }

  private void read(NarrowRows rows, long[] array, int at, int n) {
    for (int i = 0; i < n; i++) {
      keys[i] = rows.key(array[at + i]);
    }
    if (arguments.length > 0) {
      for (int i = 0; i < n; i++) {
        arguments[0].values()[i] = rows.value(array[at + i]);
      }
      arguments[0].setAllValid(n);
    }
  }

  public void add(PartitionedRows rows, int partition, PackedTable table) {
    int size = rows.rowsOfLast(partition);
    for (int block = rows.lastBlock(partition); block >= 0; block = rows.before(block)) {
      rows.read(block, size, keys, arguments);
      table.add(keys, arguments, size, accumulation, places);
      size = PartitionedRows.BLOCK_ROWS;
    }
  }

  public long[] keys(PartitionedRows rows, int partition) {
    long[] all = new long[ResultTable.rows(rows.rows(partition))];
    int n = 0;
    int size = rows.rowsOfLast(partition);
    for (int block = rows.lastBlock(partition); block >= 0; block = rows.before(block)) {
      rows.read(block, size, keys, arguments);
      System.arraycopy(keys, 0, all, n, size);
      n += size;
      size = PartitionedRows.BLOCK_ROWS;
    }
    return all;
  }

  public void cut(PartitionedRows rows, CutRows into) {
    int[] all = new int[PartitionedRows.BLOCK_ROWS];
    Arrays.setAll(all, i -> i);
    int size = rows.rowsOfLast(0);
    for (int block = rows.lastBlock(0); block >= 0; block = rows.before(block)) {
      rows.read(block, size, keys, arguments);
      into.add(keys, arguments, all, size);
      size = PartitionedRows.BLOCK_ROWS;
    }
  }
}
