package org.flowmon.it.oracle;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Seeded flows of nine days that hold what is awkward: NULLs in most columns, equal times, flows
 * that arrive late, clocks that run ahead by days, sums beyond a long, hosts with most of the
 * traffic and hosts with one flow.
 */
final class MixedTraffic {
  static final long SECOND = 1_000_000L;
  static final long HOUR = 3600 * SECOND;
  static final long DAY = 24 * HOUR;
  static final long BEGIN = 1_780_000_000L / 86_400 * DAY;
  static final int DAYS = 9;

  /** Which addresses there are. */
  enum Family {
    IPV4,
    IPV6,
    BOTH
  }

  private final SplittableRandom random;
  private final Family family;

  MixedTraffic(long seed, Family family) {
    this.random = new SplittableRandom(seed);
    this.family = family;
  }

  IpAddress address() {
    int host = (int) Math.min(900, 1 / Math.pow(random.nextDouble(), 1.1));
    boolean ipv6 = family == Family.IPV6 || (family == Family.BOTH && host % 3 == 1);
    if (ipv6) {
      return new IpAddress(0x2001_0db8_0000_0000L + host / 40 % 7, (long) host << (host % 2 * 40));
    }
    return IpAddress.ofIpv4((host % 2 == 0 ? 0x0A00_0000 : 0xC0A8_0000) + host * 131);
  }

  /** Flows that end within a part of the days, from 0 to 1. */
  List<FlowBatch> batches(int rows, double from, double to) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(257);
    for (int r = 0; r < rows; r++) {
      row(builder, BEGIN + (long) ((from + (to - from) * random.nextDouble()) * DAYS * DAY));
      if (builder.isFull() || r == rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  private boolean one(int of) {
    return random.nextInt(of) == 0;
  }

  private void row(FlowBatchBuilder builder, long time) {
    long end = one(4) ? time / HOUR * HOUR : one(4) ? time / SECOND * SECOND : time;
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, end + random.nextInt(90) * SECOND + (one(40) ? DAY : 0));
    if (!one(25)) {
      builder.set(FlowColumn.END_TIME, one(60) ? end + random.nextInt(5) * DAY : end);
      builder.set(FlowColumn.START_TIME, end - random.nextInt(100_000_000));
    }
    if (!one(30)) {
      builder.setAddress(FlowColumn.SRC_ADDR, address());
    }
    if (!one(30)) {
      builder.setAddress(FlowColumn.DST_ADDR, address());
    }
    if (!one(20)) {
      builder.set(FlowColumn.PROTOCOL, new int[] {1, 6, 6, 6, 17, 58}[random.nextInt(6)]);
      builder.set(FlowColumn.SRC_PORT, 1024 + random.nextInt(3000));
      builder.set(FlowColumn.DST_PORT, new int[] {22, 53, 80, 443, 8080}[random.nextInt(5)]);
    }
    if (!one(15)) {
      builder.set(FlowColumn.BYTES, one(50) ? random.nextLong() >>> 1 : random.nextInt(1_000_000));
      builder.set(FlowColumn.PACKETS, 1 + random.nextInt(500));
    }
    if (one(2)) {
      builder.set(FlowColumn.REVERSE_BYTES, random.nextInt(1_000_000));
    }
    builder.set(FlowColumn.OUTGOING, random.nextInt(2));
    if (one(3)) {
      builder.set(FlowColumn.SRC_AS, 64_500 + random.nextInt(12));
    }
    if (!one(6)) {
      builder.set(FlowColumn.STATE, 1 + random.nextInt(5));
    }
    if (!one(4)) {
      builder.setText(FlowColumn.SERVICE, new String[] {"dns", "http", "it's"}[random.nextInt(3)]);
    }
    builder.endRow();
  }
}
