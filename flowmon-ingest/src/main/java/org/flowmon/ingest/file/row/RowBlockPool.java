package org.flowmon.ingest.file.row;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.flowmon.flow.FlowColumn;

/** A pool of reusable row blocks. Thread-safe. */
final class RowBlockPool {
  private final List<FlowColumn> columns;
  private final Queue<RowBlock> free = new ConcurrentLinkedQueue<>();

  RowBlockPool(List<FlowColumn> columns) {
    this.columns = List.copyOf(columns);
  }

  RowBlock take() {
    RowBlock block = free.poll();
    if (block == null) {
      block = new RowBlock();
      block.useFilled();
      columns.forEach(block::use);
    }
    return block;
  }

  void give(RowBlock block) {
    block.clear();
    free.add(block);
  }
}
