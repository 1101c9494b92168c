package org.flowmon.archive.rollup;

import org.flowmon.flow.FlowColumn;

/**
 * What cells sum: the values of a column, or its estimates: these times the sampling rate, times 1
 * if that is NULL.
 */
public record Measure(FlowColumn column, boolean isEstimate) {
  public static Measure of(FlowColumn column) {
    return new Measure(column, false);
  }

  public static Measure estimateOf(FlowColumn column) {
    return new Measure(column, true);
  }

  int index() {
    return 2 * column.ordinal() + (isEstimate ? 1 : 0);
  }

  @Override
  public String toString() {
    return (isEstimate ? "estimated_" : "") + column.sqlName();
  }
}
