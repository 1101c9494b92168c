package org.flowmon.deploy.replay;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.udaf.pane.WindowSpec;

/** Counts the flows that came too late for all their windows. Not thread-safe. */
final class LateFlows {
  private final WindowSpec window;
  private long[] times = {};
  private long[] arrivals = {};
  private long[] valid = {};

  LateFlows(WindowSpec window) {
    this.window = window;
  }

  long of(FlowBatch batch) {
    int rows = batch.rows();
    if (window.timeColumn() == FlowColumn.ARRIVAL || rows == 0) {
      return 0; // windows by arrival have no late flows
    }
    if (times.length < rows) {
      times = new long[rows];
      arrivals = new long[rows];
      valid = new long[(rows + 63) >>> 6];
    }
    batch.readLongs(FlowColumn.ARRIVAL, 0, rows, arrivals);
    batch.readLongs(FlowColumn.END_TIME, 0, rows, times);
    batch.readValidity(FlowColumn.END_TIME, 0, rows, valid);
    long late = 0;
    for (int i = 0; i < rows; i++) {
      boolean isTimed = (valid[i >>> 6] >>> i & 1) != 0;
      if (isTimed && window.isLate(window.paneStart(times[i]), arrivals[i])) {
        late++;
      }
    }
    return late;
  }
}
