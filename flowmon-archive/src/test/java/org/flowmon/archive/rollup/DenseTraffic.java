package org.flowmon.archive.rollup;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Seeded flows of few addresses within some hours, so that rollups pay: NULLs in any column or in
 * none, IPv4, IPv6 and both, sums beyond 64 bits, all kinds of sampling.
 */
public final class DenseTraffic {
  /** The first hour begins here, µs. */
  public static final long BEGIN = 1_790_000_000_000_000L / 3_600_000_000L * 3_600_000_000L;

  private static final long HOUR = 3_600_000_000L;

  private final Random random;
  private final SamplingRates rates;
  private final int hosts;
  private final int hours;
  private final int ipv6;
  private final boolean huge;
  private final boolean clocksAhead;
  private final double[] unknown = new double[FlowColumn.count()];

  public DenseTraffic(long seed) {
    this(seed, 3 + new Random(seed).nextInt(60));
  }

  /** Traffic of so many hosts. */
  public DenseTraffic(long seed, int hosts) {
    this.random = new Random(seed);
    this.rates = new SamplingRates(seed);
    this.clocksAhead = new Random(~seed).nextInt(4) == 0;
    this.hosts = hosts;
    this.hours = 1 + random.nextInt(8);
    this.ipv6 = random.nextInt(3);
    this.huge = random.nextInt(3) == 0;
    for (FlowColumn column : FlowColumn.all()) {
      int share = random.nextInt(7);
      unknown[column.ordinal()] = share == 0 ? 1 : share < 3 ? random.nextDouble() : 0;
    }
    unknown[FlowColumn.SRC_ADDR.ordinal()] *= 0.5; // else there is no dimension
    unknown[FlowColumn.ARRIVAL.ordinal()] = 0;
  }

  /** The number of hours over which flows end. */
  public int hours() {
    return hours;
  }

  /** An address that flows may have. */
  public IpAddress address() {
    int host = (int) (hosts * Math.pow(random.nextDouble(), 2));
    if (ipv6 == 2 || (ipv6 == 1 && host % 2 == 1)) {
      return new IpAddress(0x2001_0db8_0000_0000L + host / 16, host);
    }
    return IpAddress.ofIpv4(0x0A00_0000 + host * 37);
  }

  private boolean known(FlowColumn column) {
    return random.nextDouble() >= unknown[column.ordinal()];
  }

  private void set(FlowBatchBuilder builder, FlowColumn column, long value) {
    if (known(column)) {
      builder.set(column, value);
    }
  }

  /** Flows in no order. */
  public List<FlowBatch> batches(int rows) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(700);
    rates.next();
    for (int i = 0; i < rows; i++) {
      builder.beginRow();
      // Starts of hours are frequent.
      long end =
          BEGIN
              + (random.nextInt(20) == 0
                  ? random.nextInt(hours) * HOUR - random.nextInt(2)
                  : (long) (random.nextDouble() * hours * HOUR));
      // Some clocks run ahead by up to six hours: such flows are not sorted by their end_time.
      boolean ahead = clocksAhead && random.nextInt(30) == 0;
      builder.set(
          FlowColumn.ARRIVAL,
          ahead ? end - (long) (random.nextDouble() * 6 * HOUR) : end + random.nextInt(5_000_000));
      set(builder, FlowColumn.END_TIME, end);
      set(builder, FlowColumn.START_TIME, end - random.nextInt(60_000_000));
      if (known(FlowColumn.SRC_ADDR)) {
        builder.setAddress(FlowColumn.SRC_ADDR, address());
      }
      if (known(FlowColumn.DST_ADDR)) {
        builder.setAddress(FlowColumn.DST_ADDR, address());
      }
      set(builder, FlowColumn.BYTES, random.nextLong() >>> (huge ? 1 : 30 + random.nextInt(30)));
      set(builder, FlowColumn.PACKETS, 1 + random.nextInt(1000));
      set(builder, FlowColumn.REVERSE_BYTES, random.nextInt(1 << 20));
      set(builder, FlowColumn.REVERSE_PACKETS, random.nextInt(3));
      set(builder, FlowColumn.OUTGOING, random.nextInt(2));
      set(builder, FlowColumn.DST_PORT, random.nextInt(4) * 100L);
      rates.set(builder);
      builder.endRow();
      if (builder.isFull() || i == rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  /** Flows, each from another address to a single one. */
  public static List<FlowBatch> ofDistinctAddresses(int rows) {
    FlowBatchBuilder builder = new FlowBatchBuilder(rows);
    for (int i = 0; i < rows; i++) {
      builder.beginRow();
      builder.set(FlowColumn.ARRIVAL, BEGIN + i);
      builder.set(FlowColumn.END_TIME, BEGIN + i);
      builder.setIpv4(FlowColumn.SRC_ADDR, i);
      builder.setIpv4(FlowColumn.DST_ADDR, 1);
      builder.set(FlowColumn.BYTES, i);
      builder.endRow();
    }
    return List.of(FlowBatch.open(builder.build(1, 0, 0, 0)));
  }

  static Long number(FlowBatch batch, FlowColumn column, int row) {
    long[] value = new long[1];
    batch.readValidity(column, row, 1, value);
    if (value[0] == 0) {
      return null;
    }
    batch.readLongs(column, row, 1, value);
    return value[0];
  }

  static IpAddress address(FlowBatch batch, FlowColumn column, int row) {
    long[] high = new long[1];
    long[] low = new long[1];
    batch.readValidity(column, row, 1, low);
    if (low[0] == 0) {
      return null;
    }
    batch.readAddresses(column, row, 1, high, low);
    return new IpAddress(high[0], low[0]);
  }
}
