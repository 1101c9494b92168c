package org.flowmon.it.crash;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * What two sources bring, by seed and place: whoever asks again gets the same rows, as of a Kafka
 * partition or a file. {@code bytes} is a serial number that no two rows share. With NULLs, clocks
 * ahead, late flows, strays, equal times, both families, and batches of no row and of one.
 */
record FedFlows(long seed) {
  static final long SECOND = 1_000_000L;
  static final long HOUR = 3600 * SECOND;
  private static final long BEGIN = 1_790_000_000L / 3600 * HOUR;
  private static final long STEP = 40 * SECOND;
  private static final int MOST_ROWS = 120;

  /** How flows come. */
  enum Source {
    /** By positions of a partition. */
    PARTITION,
    /** One file for each batch. */
    FILES
  }

  /** A row. */
  record Row(long serial, Long end, long arrival, IpAddress source, Long packets) {
    /** The time that it expires by, as docs/archive.md defines it. */
    long key() {
      return end == null ? arrival : Math.min(end, arrival + HOUR);
    }
  }

  private SplittableRandom random(Source source, int batch) {
    return new SplittableRandom(seed * 1_000_003 + batch * 2L + source.ordinal());
  }

  /** When the last row of a batch may have arrived. */
  static long clock(int batch) {
    return BEGIN + (batch + 2) * STEP;
  }

  List<Row> rows(Source source, int batch) {
    SplittableRandom random = random(source, batch);
    int fewest = source == Source.FILES ? 1 : 0;
    int n =
        switch (random.nextInt(8)) {
          case 0 -> fewest;
          case 1 -> 1;
          default -> 1 + random.nextInt(MOST_ROWS);
        };
    List<Row> rows = new ArrayList<>();
    for (int i = 0; i < n; i++) {
      long serial = (source.ordinal() * 10_000_000L + batch) * 1000 + i;
      rows.add(row(random, serial, BEGIN + batch * STEP));
    }
    return rows;
  }

  private static Row row(SplittableRandom random, long serial, long now) {
    long arrival = now + random.nextLong(STEP);
    Long end =
        switch (random.nextInt(24)) {
          case 0, 1 -> null;
          case 2 -> arrival + random.nextInt(100) * HOUR; // a clock ahead
          case 3 -> arrival - random.nextInt(3) * HOUR; // late
          case 4 -> random.nextLong(2000); // from 1970
          case 5, 6, 7, 8, 9, 10 -> now / (60 * SECOND) * 60 * SECOND; // equal times
          default -> arrival - random.nextLong(90 * SECOND);
        };
    int host = random.nextInt(60);
    IpAddress address =
        host == 0
            ? null
            : host % 3 == 0
                ? new IpAddress(0x2001_0db8_0000_0000L, host)
                : IpAddress.ofIpv4(0x0900_0000 + host * 0x10_0001);
    Long packets = random.nextInt(8) == 0 ? null : (Long) (long) random.nextInt(1000);
    return new Row(serial, end, arrival, address, packets);
  }

  List<FlowBatch> batch(Source source, int batch) {
    List<Row> rows = rows(source, batch);
    if (rows.isEmpty()) {
      return List.of();
    }
    FlowBatchBuilder builder = new FlowBatchBuilder(MOST_ROWS);
    for (Row row : rows) {
      builder.beginRow();
      builder.set(FlowColumn.BYTES, row.serial);
      builder.set(FlowColumn.ARRIVAL, row.arrival);
      builder.set(FlowColumn.OUTGOING, row.serial & 1);
      if (row.end != null) {
        builder.set(FlowColumn.END_TIME, row.end);
      }
      if (row.source != null) {
        builder.setAddress(FlowColumn.SRC_ADDR, row.source);
      }
      if (row.packets != null) {
        builder.set(FlowColumn.PACKETS, row.packets);
      }
      builder.endRow();
    }
    return List.of(FlowBatch.open(builder.build(1, batch, 0, 0)));
  }

  /** What stands for the SHA-256 of a file. */
  static String fileId(int batch) {
    return String.format("%064x", batch + 1);
  }
}
