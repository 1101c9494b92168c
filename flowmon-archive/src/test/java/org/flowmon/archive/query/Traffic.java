package org.flowmon.archive.query;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.archive.Archive;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/**
 * Seeded traffic over ten days before {@link #NOW}: few addresses with much of it and many with
 * little, IPv4 and IPv6, unknown values in most columns, some flows that arrive late.
 */
public final class Traffic {
  public static final long SECOND = 1_000_000L;
  public static final long HOUR = 3600 * SECOND;
  public static final long DAY = 24 * HOUR;
  public static final long NOW = 1_790_000_000 * SECOND / HOUR * HOUR;
  public static final long BEGIN = NOW - 10 * DAY;

  private final Random random;
  private final boolean ipv6;
  private final double unknown;
  private final boolean clocksAhead;

  public Traffic(long seed, boolean ipv6, double unknown) {
    this.random = new Random(seed);
    this.ipv6 = ipv6;
    this.unknown = unknown;
    this.clocksAhead = unknown > 0 && seed % 3 == 1;
  }

  IpAddress address() {
    int host = (int) Math.min(3000, 1 / Math.pow(random.nextDouble(), 1.3));
    if (ipv6 && host % 3 == 1) {
      return new IpAddress(0x2001_0db8_0000_0000L + host / 64, host);
    }
    return IpAddress.ofIpv4(host % 2 == 0 ? 0x0A00_0000 + host * 37 : 0xC000_0200 + host);
  }

  /** Batches of flows that end within this part, 0 … 1, of the ten days. */
  public List<FlowBatch> batches(int rows, double from, double to) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(500);
    boolean withAs = random.nextBoolean();
    for (int i = 0; i < rows; i++) {
      long end = BEGIN + (long) ((from + (to - from) * random.nextDouble()) * (10 * DAY));
      row(builder, end, withAs);
      if (builder.isFull() || i == rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  private boolean known() {
    return random.nextDouble() >= unknown;
  }

  private void row(FlowBatchBuilder builder, long end, boolean withAs) {
    builder.beginRow();
    builder.set(
        FlowColumn.ARRIVAL,
        end + random.nextInt(5_000_000) + (known() ? 0 : random.nextInt(100) * HOUR));
    if (known()) {
      // A clock that runs ahead by up to four days.
      boolean ahead = clocksAhead && random.nextInt(50) == 0;
      builder.set(FlowColumn.END_TIME, ahead ? end + random.nextInt(100) * HOUR : end);
      builder.set(FlowColumn.START_TIME, end - random.nextInt(60_000_000));
    }
    if (known()) {
      builder.setAddress(FlowColumn.SRC_ADDR, address());
    }
    if (known()) {
      builder.setAddress(FlowColumn.DST_ADDR, address());
    }
    int[] protocols = {1, 6, 6, 6, 17, 17, 58};
    int protocol = protocols[random.nextInt(protocols.length)];
    if (known()) {
      builder.set(FlowColumn.PROTOCOL, protocol);
    }
    if (protocol == 6 || protocol == 17) {
      builder.set(FlowColumn.SRC_PORT, 1024 + random.nextInt(60_000));
      builder.set(FlowColumn.DST_PORT, new int[] {22, 53, 80, 443, 8080}[random.nextInt(5)]);
    }
    if (known()) {
      builder.set(FlowColumn.BYTES, random.nextLong() >>> (40 + random.nextInt(20)));
      builder.set(FlowColumn.PACKETS, 1 + random.nextInt(1000));
    }
    if (random.nextInt(3) == 0) {
      builder.set(FlowColumn.REVERSE_BYTES, random.nextInt(1_000_000));
    }
    builder.set(FlowColumn.OUTGOING, random.nextInt(2));
    if (withAs) {
      builder.set(FlowColumn.SRC_AS, 64_500 + random.nextInt(20));
    }
    if (known()) {
      builder.setText(FlowColumn.SERVICE, new String[] {"dns", "http", "ssl"}[random.nextInt(3)]);
    }
    builder.endRow();
  }

  /** Seals batches as one segment and commits it as the next positions of a source. */
  public static SealedSegment commit(Archive archive, List<FlowBatch> batches) throws IOException {
    SealedSegment segment = archive.seal(new SegmentWriter(), batches, Provenance.NONE);
    long first = Math.max(0, archive.committedEnd("t:0"));
    archive.commit(
        ArchiveCommit.ofRanges(
            List.of(segment),
            List.of(new SourceRange("t:0", first, first + batches.size(), segment.arrival().max())),
            "test"));
    return segment;
  }
}
