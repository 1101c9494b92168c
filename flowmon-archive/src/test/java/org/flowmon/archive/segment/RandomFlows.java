package org.flowmon.archive.segment;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** Seeded flows with every shape of a column. */
final class RandomFlows {
  private static final long START = 1_790_000_000_000_000L;

  private enum Shape {
    ABSENT,
    CONSTANT,
    FEW,
    MANY,
    ANY
  }

  private final Random random;
  private final Shape[] shapes = new Shape[FlowColumn.count()];
  private final double[] nulls = new double[FlowColumn.count()];
  private final boolean ipv6;
  private long arrival = START;

  RandomFlows(long seed, boolean ipv6) {
    this.random = new Random(seed);
    this.ipv6 = ipv6;
    for (FlowColumn column : FlowColumn.all()) {
      shapes[column.ordinal()] = Shape.values()[random.nextInt(Shape.values().length)];
      nulls[column.ordinal()] = random.nextInt(3) == 0 ? random.nextDouble() : 0;
    }
    shapes[FlowColumn.ARRIVAL.ordinal()] = Shape.ANY;
    nulls[FlowColumn.ARRIVAL.ordinal()] = 0;
  }

  List<FlowBatch> batches(int rows) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(1000);
    while (rows > 0) {
      int n = Math.min(rows, 1 + random.nextInt(1000));
      for (int i = 0; i < n; i++) {
        row(builder);
      }
      batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
      builder.clear();
      rows -= n;
    }
    return batches;
  }

  private void row(FlowBatchBuilder builder) {
    builder.beginRow();
    arrival += random.nextInt(3000);
    builder.set(FlowColumn.ARRIVAL, arrival);
    for (FlowColumn column : FlowColumn.all()) {
      Shape shape = shapes[column.ordinal()];
      if (column == FlowColumn.ARRIVAL
          || shape == Shape.ABSENT
          || random.nextDouble() < nulls[column.ordinal()]) {
        continue;
      }
      long value =
          switch (shape) {
            case CONSTANT -> 7;
            case FEW -> random.nextInt(9);
            case MANY -> random.nextInt(40_000);
            default -> random.nextLong();
          };
      set(builder, column, value);
    }
    builder.endRow();
  }

  private void set(FlowBatchBuilder builder, FlowColumn column, long value) {
    switch (column.type()) {
      case ADDRESS -> {
        if (ipv6 && (value & 3) == 1) {
          builder.setAddress(column, 0x2001_0db8_0000_0000L ^ value << 40, value);
        } else {
          builder.setAddress(column, 0, IpAddress.ipv4Low((int) (0x0900_0001 + value * 0x10_0001)));
        }
      }
      case TEXT -> builder.setText(column, value % 5 == 0 ? "" : "tëxt-" + Long.toHexString(value));
      case TIMESTAMP -> {
        // Some clocks run ahead, up to five hours.
        long ahead = (value >>> 30 & 15) == 1 ? value >>> 34 & 0x3_FFFF_FFFFL : 0;
        builder.set(column, arrival - (value & 0xFF_FFFF) + ahead);
      }
      case DURATION -> builder.set(column, value >> 20);
      default -> builder.set(column, value & column.type().maxValue());
    }
  }
}
