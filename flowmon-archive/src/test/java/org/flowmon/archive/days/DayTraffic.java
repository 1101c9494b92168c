package org.flowmon.archive.days;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.archive.rollup.SamplingRates;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Seeded flows of few hosts over days. They have NULLs, equal times and times on a day's edge,
 * clocks that run days ahead, strays of years ago, IPv4 and IPv6 addresses below and above it, and
 * sums beyond 64 bits.
 */
public final class DayTraffic {
  public static final long DAY = DayRunFormat.DAY_MICROS;

  /** The first day begins here, µs. */
  public static final long BEGIN = 20_700 * DAY;

  private final Random random;
  private final SamplingRates rates;
  private final int hosts;
  private final boolean huge;
  private final boolean clocksAhead;
  private final double unknown;

  /**
   * Traffic.
   *
   * @param unknown share of NULL values
   * @param clocksAhead whether some clocks run ahead
   */
  public DayTraffic(long seed, double unknown, boolean clocksAhead) {
    this.random = new Random(seed);
    this.rates = new SamplingRates(seed);
    this.hosts = 3 + random.nextInt(40);
    this.huge = random.nextInt(3) == 0;
    this.unknown = unknown;
    this.clocksAhead = clocksAhead;
  }

  /** A possible address of a flow. */
  public IpAddress address() {
    int host = (int) (hosts * Math.pow(random.nextDouble(), 2));
    return switch (host % 5) {
      case 1 -> new IpAddress(0x2001_0db8_0000_0000L, host);
      case 2 -> new IpAddress(0, host); // below all IPv4
      default -> IpAddress.ofIpv4(0x0A00_0000 + host * 37);
    };
  }

  private boolean known() {
    return random.nextDouble() >= unknown;
  }

  /** Flows of some days, which arrive within seconds of their end unless a clock is wrong. */
  public List<FlowBatch> batches(int rows, double fromDay, double toDay) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(700);
    rates.next();
    for (int i = 0; i < rows; i++) {
      row(builder, BEGIN + (long) ((fromDay + (toDay - fromDay) * random.nextDouble()) * DAY));
      if (builder.isFull() || i == rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  private void row(FlowBatchBuilder builder, long time) {
    long end = time;
    if (random.nextInt(15) == 0) {
      end = Math.floorDiv(time, DAY) * DAY - random.nextInt(2); // an edge, often the same
    }
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, end + random.nextInt(5_000_000));
    if (clocksAhead && random.nextInt(40) == 0) {
      end += random.nextInt(72) * 3_600_000_000L;
    } else if (random.nextInt(300) == 0) {
      end -= 400 * DAY;
    }
    if (known()) {
      builder.set(FlowColumn.END_TIME, end);
    }
    if (known()) {
      builder.setAddress(FlowColumn.SRC_ADDR, address());
    }
    if (known()) {
      builder.setAddress(FlowColumn.DST_ADDR, address());
    }
    if (known()) {
      builder.set(FlowColumn.BYTES, random.nextLong() >>> (huge ? 1 : 30 + random.nextInt(30)));
    }
    if (known()) {
      builder.set(FlowColumn.PACKETS, 1 + random.nextInt(1000));
    }
    if (unknown > 0 && random.nextInt(3) == 0) {
      builder.set(FlowColumn.REVERSE_BYTES, random.nextInt(1 << 20));
    }
    if (known()) {
      builder.set(FlowColumn.OUTGOING, random.nextInt(2));
    }
    rates.set(builder);
    builder.endRow();
  }
}
