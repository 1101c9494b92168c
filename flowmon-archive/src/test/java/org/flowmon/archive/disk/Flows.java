package org.flowmon.archive.disk;

import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;

/** Flows of which the test knows how many there are. */
final class Flows {
  private Flows() {}

  /** {@code rows} flows, which take about 30 bytes each. */
  static FlowBatch batch(long seed, int rows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    Random random = new Random(seed);
    while (!builder.isFull()) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, 1_000_000L * seed + random.nextInt(1000));
      builder.set(FlowColumn.END_TIME, 1_000_000L * seed + random.nextInt(1000));
      builder.setIpv4(FlowColumn.SRC_ADDR, random.nextInt());
      builder.set(FlowColumn.BYTES, random.nextInt(100_000));
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, rows, 0));
  }
}
