package org.flowmon.udaf.table;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows.Presence;

/**
 * Counts the flows of a batch that come from sampled packets: {@code sampling_rate} above 1. What
 * they say of bytes and packets is an estimate, however exact its sums are.
 */
final class SampledFlows {
  private long flows;
  private long highestRate;

  /** Begins with another batch. */
  void clear() {
    flows = 0;
    highestRate = 0;
  }

  /**
   * Counts some of the rows from {@code from} on.
   *
   * @param chosen their places after {@code from}, the first {@code n}
   */
  void add(FlowBatch batch, int from, int[] chosen, int n) {
    Presence presence = batch.presence(FlowColumn.SAMPLING_RATE);
    if (n == 0 || presence == Presence.ABSENT) {
      return;
    }
    if (presence == Presence.CONSTANT) {
      add(batch.getLong(FlowColumn.SAMPLING_RATE, from), n);
      return;
    }
    for (int i = 0; i < n; i++) {
      int row = from + chosen[i];
      if (!batch.isNull(FlowColumn.SAMPLING_RATE, row)) {
        add(batch.getLong(FlowColumn.SAMPLING_RATE, row), 1);
      }
    }
  }

  private void add(long rate, int n) {
    if (rate > 1) {
      flows += n;
      highestRate = Math.max(highestRate, rate);
    }
  }

  long flows() {
    return flows;
  }

  /** One of so many packets was looked at, at the least; 0 where no flow is sampled. */
  long highestRate() {
    return highestRate;
  }
}
