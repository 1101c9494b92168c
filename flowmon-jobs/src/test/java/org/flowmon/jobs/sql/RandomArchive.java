package org.flowmon.jobs.sql;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveOptions;
import org.flowmon.archive.commit.ArchiveCommit;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.IpAddress;

/** Seeded flows of two hours in segments of the same size; every column but one may be NULL. */
public final class RandomArchive {
  public static final long BEGIN = 1_790_000_000_000_000L;
  public static final long LENGTH = 7_200_000_000L;

  private final Random random;

  private RandomArchive(long seed) {
    this.random = new Random(seed);
  }

  public static Archive create(Path directory, long seed, int segments, int rows)
      throws IOException {
    Archive archive = Archive.create(directory, ArchiveOptions.DEFAULTS);
    RandomArchive flows = new RandomArchive(seed);
    for (int i = 0; i < segments; i++) {
      flows.commit(archive, i, segments, rows);
    }
    return archive;
  }

  private void commit(Archive archive, int part, int of, int rows) throws IOException {
    commit(archive, batches(BEGIN + part * (LENGTH / of), LENGTH / of, rows));
  }

  /** Flows that end within the two hours, in batches of 500. */
  public static List<FlowBatch> batches(long seed, int rows) {
    return new RandomArchive(seed).batches(BEGIN, LENGTH, rows);
  }

  private List<FlowBatch> batches(long begin, long length, int rows) {
    List<FlowBatch> batches = new ArrayList<>();
    FlowBatchBuilder builder = new FlowBatchBuilder(500);
    for (int i = 0; i < rows; i++) {
      row(builder, begin + random.nextLong(length));
      if (builder.isFull() || i == rows - 1) {
        batches.add(FlowBatch.open(builder.build(1, batches.size(), 0, 0)));
        builder.clear();
      }
    }
    return batches;
  }

  /** Commits the batches as one segment. */
  public static void commit(Archive archive, List<FlowBatch> batches) throws IOException {
    SealedSegment segment = archive.seal(new SegmentWriter(), batches, Provenance.NONE);
    long first = Math.max(0, archive.committedEnd("t:0"));
    long end = first + batches.size();
    SourceRange range = new SourceRange("t:0", first, end, segment.arrival().max());
    archive.commit(ArchiveCommit.ofRanges(List.of(segment), List.of(range), "test"));
  }

  private void row(FlowBatchBuilder builder, long end) {
    builder.beginRow();
    builder.set(FlowColumn.ARRIVAL, end + random.nextInt(5_000_000));
    if (isKnown()) {
      builder.set(FlowColumn.END_TIME, end);
    }
    if (isKnown()) {
      builder.setAddress(FlowColumn.SRC_ADDR, address());
    }
    if (isKnown()) {
      builder.setAddress(FlowColumn.DST_ADDR, address());
    }
    if (isKnown()) {
      builder.set(FlowColumn.PROTOCOL, new int[] {1, 6, 17, 255}[random.nextInt(4)]);
      builder.set(FlowColumn.DST_PORT, new int[] {22, 53, 443, 65_535}[random.nextInt(4)]);
    }
    if (isKnown()) {
      builder.set(FlowColumn.SRC_AS, 0xFFFF_FFFFL - random.nextInt(5)); // beyond 31 bits
      builder.set(FlowColumn.BYTES, random.nextLong() >>> (30 + random.nextInt(30)));
      builder.set(FlowColumn.PACKETS, 1 + random.nextInt(1000));
    }
    if (isKnown()) {
      builder.set(FlowColumn.OUTGOING, random.nextInt(2));
      builder.setText(FlowColumn.SERVICE, new String[] {"dns", "http", "é'"}[random.nextInt(3)]);
    }
    builder.endRow();
  }

  private boolean isKnown() {
    return random.nextInt(8) > 0;
  }

  /** One of 40, a third of them IPv6. */
  private IpAddress address() {
    int host = random.nextInt(40);
    return host % 3 == 0
        ? new IpAddress(0x2001_0db8_0000_0000L, host)
        : IpAddress.ofIpv4(0xC000_0200 + host);
  }
}
