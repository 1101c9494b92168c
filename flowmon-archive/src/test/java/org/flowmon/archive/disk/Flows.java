package org.flowmon.archive.disk;

import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;

/** A known number of flows. */
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

  /** Flows between some thousand hosts, with texts. */
  static FlowBatch manyHosts(long seed, int rows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    Random random = new Random(seed);
    while (!builder.isFull()) {
      long arrival = 1_000_000L * 3600 * seed + random.nextInt(1_000_000_000);
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, arrival);
      builder.set(FlowColumn.END_TIME, arrival - random.nextInt(1000));
      builder.setIpv4(FlowColumn.SRC_ADDR, (10 << 24) + random.nextInt(5000));
      builder.setIpv4(FlowColumn.DST_ADDR, (10 << 24) + random.nextInt(5000));
      builder.set(FlowColumn.BYTES, random.nextInt(100_000));
      builder.set(FlowColumn.PACKETS, random.nextInt(1000));
      builder.setText(FlowColumn.SERVICE, "service" + random.nextInt(50));
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, rows, 0));
  }
}
