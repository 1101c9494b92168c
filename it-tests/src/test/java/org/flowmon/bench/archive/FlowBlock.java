package org.flowmon.bench.archive;

/**
 * Some rows of the workload as columns. Reused: what it holds is good until the call that was given
 * it returns.
 */
public final class FlowBlock {
  private final long[][] columns;
  private int rows;

  /**
   * @param capacity rows at most
   */
  FlowBlock(int capacity) {
    columns = new long[WorkloadColumn.all().size()][capacity];
  }

  /** Rows that it holds. */
  public int rows() {
    return rows;
  }

  void setRows(int count) {
    rows = count;
  }

  int capacity() {
    return columns[0].length;
  }

  /** The values of a column from row 0 on; what lies at {@link #rows} and after has no meaning. */
  public long[] column(WorkloadColumn column) {
    return columns[column.ordinal()];
  }
}
