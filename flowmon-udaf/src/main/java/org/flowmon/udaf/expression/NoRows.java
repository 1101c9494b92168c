package org.flowmon.udaf.expression;

import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;

/** The rows of expressions over groups, which read given vectors and no column. */
enum NoRows implements FlowRows {
  NONE;

  @Override
  public int rows() {
    return 0;
  }

  @Override
  public Presence presence(FlowColumn column) {
    throw noColumn(column);
  }

  @Override
  public void readLongs(FlowColumn column, int from, int count, long[] out) {
    throw noColumn(column);
  }

  @Override
  public void readAddresses(FlowColumn column, int from, int count, long[] hi, long[] lo) {
    throw noColumn(column);
  }

  @Override
  public void readValidity(FlowColumn column, int from, int count, long[] words) {
    throw noColumn(column);
  }

  @Override
  public String text(FlowColumn column, int row) {
    throw noColumn(column);
  }

  private static IllegalStateException noColumn(FlowColumn column) {
    return new IllegalStateException("groups have no column " + column.sqlName());
  }
}
