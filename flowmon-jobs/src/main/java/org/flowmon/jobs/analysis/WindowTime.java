package org.flowmon.jobs.analysis;

import org.flowmon.flow.FlowColumn;

/** The time by which a live query's windows divide flows. */
public enum WindowTime {
  /** When the flow ended; a flow without an end time counts by its arrival. */
  END_TIME(FlowColumn.END_TIME),
  /** When the collector received it. */
  ARRIVAL(FlowColumn.ARRIVAL);

  // A column is immutable.
  @SuppressWarnings("ImmutableEnumChecker")
  private final FlowColumn column;

  WindowTime(FlowColumn column) {
    this.column = column;
  }

  public FlowColumn column() {
    return column;
  }
}
