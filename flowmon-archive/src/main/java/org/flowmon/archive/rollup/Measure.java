package org.flowmon.archive.rollup;

import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.bytes.ByteSink;

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

  /** Appends its entry in the head of a rollup. */
  void writeTo(ByteSink out, boolean hasNulls, boolean isWide) {
    out.putShort(column.id());
    out.putShort(
        (hasNulls ? RollupFormat.FLAG_NULLS : 0)
            | (isWide ? RollupFormat.FLAG_WIDE : 0)
            | (isEstimate ? RollupFormat.FLAG_ESTIMATE : 0));
  }

  @Override
  public String toString() {
    return (isEstimate ? "estimated_" : "") + column.sqlName();
  }
}
