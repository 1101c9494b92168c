package org.flowmon.bench.archive;

/** Rows of the workload as columns. Reused: its rows are valid until the receiving call returns. */
public final class FlowBlock {
  private final long[][] columns;
  private int rows;

  /**
   * @param capacity rows at most
   */
  FlowBlock(int capacity) {
    columns = new long[WorkloadColumn.all().size()][capacity];
  }

  /** Number of rows. */
  public int rows() {
    return rows;
  }

  void setRows(int count) {
    rows = count;
  }

  int capacity() {
    return columns[0].length;
  }

  /** The values of a column from row 0 on; values from {@link #rows} on are undefined. */
  public long[] column(WorkloadColumn column) {
    return columns[column.ordinal()];
  }
}
