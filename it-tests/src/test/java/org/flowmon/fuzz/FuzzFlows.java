package org.flowmon.fuzz;

import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** Small batches of valid flows, every column in some of them: what seeds are made of. */
final class FuzzFlows {
  /** 2026-09-21T13:46:40Z in microseconds. */
  static final long START = 1_790_000_000_000_000L;

  private FuzzFlows() {}

  /** A batch of a producer of its own. */
  static FlowBatch batch(long seed, int rows) {
    Random random = new Random(seed);
    FlowBatchBuilder builder = new FlowBatchBuilder(Math.max(1, rows));
    for (int i = 0; i < rows; i++) {
      long time = START + i * 250_000L;
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, time);
      for (FlowColumn column : FlowColumn.all()) {
        int style = (int) ((column.id() + seed) % 4); // absent, constant, dense, some
        if (column != FlowColumn.ARRIVAL && style > 0 && (style < 3 || random.nextBoolean())) {
          set(builder, column, style == 1 ? 1 : random.nextInt(7), time);
        }
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(seed, 0, rows, 0));
  }

  private static void set(FlowBatchBuilder builder, FlowColumn column, int value, long time) {
    switch (column.type()) {
      case ADDRESS -> {
        if (value % 3 == 2) {
          builder.setAddress(column, 0x2001_0db8_0000_0000L, value);
        } else {
          builder.setAddress(column, 0, IpAddress.ipv4Low(0x0A00_0001 + value));
        }
      }
      case TEXT -> builder.setText(column, "téxt" + value);
      case TIMESTAMP -> builder.set(column, time - value * 100_000L);
      case DURATION -> builder.set(column, value * 1000L);
      case BOOLEAN -> builder.set(column, value & 1);
      case UINT8, UINT16, UINT32, COUNT, NUMBER -> builder.set(column, value);
    }
  }
}
