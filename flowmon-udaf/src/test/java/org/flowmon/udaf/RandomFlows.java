package org.flowmon.udaf;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Seeded flows that are hard for evaluators: few distinct values for many groups and ties, NULLs,
 * both address families, extreme counts, columns that are constant or absent in some batches.
 */
public final class RandomFlows {
  /** 2026-11-21T00:00:00Z. */
  public static final long START = 1_795_219_200_000_000L;

  public static final long HOUR = 3_600_000_000L;

  private static final String[] SERVICES = {"dns", "http", "ssl", "ssh,", "ünï", "a'b", "😀", ""};

  private final Random random;
  private boolean extremes = true;
  private boolean numbered;
  private long spread = 10 * 24 * HOUR;

  public RandomFlows(long seed) {
    this.random = new Random(seed);
  }

  /** Without counts near 2^63. */
  public RandomFlows modest() {
    extremes = false;
    return this;
  }

  /**
   * With each row's number in its batch as {@code flow_sequence}, so that filters choose places.
   */
  public RandomFlows numbered() {
    numbered = true;
    return this;
  }

  /** End times within so many microseconds before {@link #START}. */
  public RandomFlows within(long micros) {
    spread = micros;
    return this;
  }

  public List<FlowBatch> batches(int batches, int rows) {
    List<FlowBatch> all = new ArrayList<>();
    for (int b = 0; b < batches; b++) {
      all.add(batch(1 + random.nextInt(rows)));
    }
    return all;
  }

  public FlowBatch batch(int rows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    int shape = random.nextInt(8);
    for (int r = 0; r < rows; r++) {
      builder.beginRow();
      row(builder, shape);
      if (numbered) {
        builder.set(FlowColumn.FLOW_SEQUENCE, r);
      }
      builder.endRow();
    }
    return FlowBatch.open(builder.build(1, 0, rows, 0));
  }

  private void row(FlowBatchBuilder builder, int shape) {
    long end = START - (long) (random.nextDouble() * spread);
    builder.set(FlowColumn.ARRIVAL, end + random.nextInt(60_000_000));
    if (some(0.9)) {
      builder.set(FlowColumn.END_TIME, random.nextInt(20) == 0 ? START - 24 * HOUR : end);
    }
    if (some(0.8)) {
      builder.set(FlowColumn.START_TIME, end - random.nextInt(1 << 30));
      builder.set(FlowColumn.DURATION, random.nextInt(1 << 30));
    }
    address(builder, FlowColumn.SRC_ADDR, shape);
    address(builder, FlowColumn.DST_ADDR, shape);
    if ((shape & 1) == 0 || some(0.7)) {
      builder.set(FlowColumn.SRC_PORT, random.nextInt(5) == 0 ? 443 : random.nextInt(1 << 16));
      builder.set(FlowColumn.DST_PORT, 50 + random.nextInt(8));
    }
    if (some(0.9)) {
      builder.set(FlowColumn.PROTOCOL, shape == 2 ? 6 : random.nextInt(4));
    }
    if (shape == 3 || some(0.9)) {
      builder.set(FlowColumn.BYTES, count());
    }
    if (shape != 4) {
      builder.set(FlowColumn.PACKETS, random.nextInt(10));
    }
    if (some(0.3)) {
      builder.set(FlowColumn.REVERSE_BYTES, count());
    }
    if (shape == 5) {
      builder.set(FlowColumn.OUTGOING, 1);
    } else if (shape != 6 && some(0.8)) {
      builder.set(FlowColumn.OUTGOING, random.nextInt(2));
    }
    if (some(0.5)) {
      builder.setText(FlowColumn.SERVICE, SERVICES[random.nextInt(SERVICES.length)]);
    }
    if (some(0.5)) {
      builder.set(FlowColumn.STATE, 1 + random.nextInt(13));
      builder.set(FlowColumn.TCP_FLAGS, random.nextInt(64));
    }
  }

  private void address(FlowBatchBuilder builder, FlowColumn column, int shape) {
    if (random.nextInt(20) == 0) {
      return;
    }
    boolean ipv4 = shape < 4 || random.nextBoolean();
    if (ipv4) {
      builder.setIpv4(column, 0x0A000000 + (random.nextInt(3) << 8) + random.nextInt(6));
    } else {
      long high = random.nextBoolean() ? 0x20010DB8_00000000L : -1L << 56;
      builder.setAddress(
          column, new IpAddress(high, random.nextInt(4) == 0 ? -1 : random.nextInt(5)));
    }
  }

  private long count() {
    int pick = random.nextInt(20);
    return pick == 0 && extremes
        ? Long.MAX_VALUE - random.nextInt(3)
        : pick == 1 ? 0 : random.nextInt(1 << 20);
  }

  private boolean some(double probability) {
    return random.nextDouble() < probability;
  }
}
