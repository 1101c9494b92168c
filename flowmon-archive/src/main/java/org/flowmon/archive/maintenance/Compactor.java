package org.flowmon.archive.maintenance;

import java.io.IOException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import org.flowmon.archive.Archive;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.commit.RowSums;
import org.flowmon.archive.region.MappedRegion;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.retention.RetentionOptions;
import org.flowmon.archive.segment.Provenance;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.SegmentOptions;
import org.flowmon.archive.segment.TimeKey;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.archive.segment.writer.SegmentWriter;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges small segments into few large ones: the same rows and answers, with fewer dictionaries to
 * probe. One step is one commit that replaces segments; readers of older snapshots keep their files
 * until done ({@link Archive#removeReplaced}). Others may commit at the same time: replacing a
 * segment that is gone is refused, and the new segments are deleted. Reuses the scratch arrays of
 * its writer. Not thread-safe.
 */
public final class Compactor {
  private static final Logger LOG = LoggerFactory.getLogger(Compactor.class);
  private static final int BLOCK = 4096;

  private final Archive archive;
  private final CompactionPlan plan;
  private @Nullable SegmentWriter writer;
  private final Set<String> damaged;

  /** The result of a step: segments before and after, and their rows. */
  public record Step(int replaced, int written, long rows, long bytesBefore, long bytesAfter) {}

  public Compactor(Archive archive, CompactionOptions options) {
    this(archive, options, new HashSet<>());
  }

  /** Leaves {@code damaged} ids, adds some. */
  Compactor(Archive archive, CompactionOptions options, Set<String> damaged) {
    this.damaged = damaged;
    this.archive = archive;
    this.plan = new CompactionPlan(options);
  }

  /** Ids of segments that are left alone because they cannot be read. */
  public Set<String> damaged() {
    return Set.copyOf(damaged);
  }

  /**
   * Makes one merge. Null if there is nothing to merge, if {@code stop} (asked before each segment
   * is written) is true, which changes nothing, or if another process replaced one of the segments
   * first: then the next call plans anew.
   */
  public @Nullable Step step(BooleanSupplier stop) throws IOException {
    try (ArchiveSnapshot snapshot = archive.snapshot()) {
      while (!stop.getAsBoolean()) {
        List<SealedSegment> segments = trimmable(snapshot);
        if (segments.isEmpty()) {
          segments = plan.next(snapshot.segments(), damaged);
        }
        if (segments.isEmpty()) {
          return null;
        }
        String reading = null;
        List<SegmentLease> leases = new ArrayList<>();
        try {
          for (SealedSegment segment : segments) {
            reading = segment.id();
            leases.add(snapshot.open(segment, true));
            touch(leases.get(leases.size() - 1).rows());
          }
          return merge(segments, leases, stop);
        } catch (SegmentCorruptException e) {
          LOG.warn("segment {} cannot be merged and stays as it is: {}", reading, e.getMessage());
          damaged.add(reading);
        } catch (InternalError e) {
          throw MappedRegion.explain(e);
        } finally {
          SegmentLease.closeAll(leases);
        }
      }
      return null;
    }
  }

  /**
   * A segment to rewrite without its expired rows, well before a commit would have to: the one that
   * frees most for the bytes to be written.
   */
  private List<SealedSegment> trimmable(ArchiveSnapshot snapshot) {
    RetentionOptions limits = snapshot.retention();
    boolean rows =
        limits.rows() > 0 && snapshot.storedRows() - snapshot.rows() > limits.slack() / 2;
    boolean bytes =
        limits.bytes() > 0 && snapshot.bytesOnDisk() > limits.bytes() + limits.bytes() / 16;
    if (!rows && !bytes) {
      return List.of();
    }
    return snapshot.segments().stream()
        .filter(s -> snapshot.firstRow(s) > 0 && !damaged.contains(s.id()))
        .max(Comparator.comparingDouble(s -> (double) snapshot.firstRow(s) / s.rows()))
        .map(List::of)
        .orElse(List.of());
  }

  /** Has every column verified, so that damage is attributed to its segment. */
  private static void touch(SegmentReader segment) {
    long[] validity = new long[1];
    for (FlowColumn column : FlowColumn.all()) {
      segment.readValidity(column, 0, 1, validity);
    }
  }

  /** A writer with the archive's current options, which may have changed. */
  private SegmentWriter writer() throws IOException {
    SegmentOptions options = archive.segmentOptions();
    if (writer == null || !writer.options().equals(options)) {
      writer = new SegmentWriter(options);
    }
    return writer;
  }

  private @Nullable Step merge(
      List<SealedSegment> segments, List<SegmentLease> leases, BooleanSupplier stop)
      throws IOException {
    Map<Long, List<FlowRows>> slices = new TreeMap<>();
    RowSums dropped = RowSums.NONE;
    for (SegmentLease lease : leases) {
      dropped = dropped.plus(sums(lease.rows(), lease.firstRow()));
      // Rows of one day stay in one segment, so that each merge leaves fewer, and merging ends.
      long slice = CompactionSlice.of(lease.rows().sealed());
      if (slice == CompactionSlice.MIXED || lease.firstRow() > 0) {
        split(lease.rows(), lease.firstRow(), slices);
      } else {
        slices.computeIfAbsent(slice, s -> new ArrayList<>()).add(lease.rows());
      }
    }
    Provenance provenance = Provenance.of("merged", Integer.toString(segments.size()));
    try (Replacement by = new Replacement(archive)) {
      for (List<FlowRows> parts : slices.values()) {
        if (stop.getAsBoolean()) {
          return null;
        }
        by.add(archive.seal(writer(), parts, provenance));
      }
      if (!by.commit(segments, dropped, "compaction")) {
        return null;
      }
      return new Step(
          segments.size(),
          by.written().size(),
          by.written().stream().mapToLong(SealedSegment::rows).sum(),
          segments.stream().mapToLong(SealedSegment::bytesOnDisk).sum(),
          by.written().stream().mapToLong(SealedSegment::bytesOnDisk).sum());
    }
  }

  private static RowSums sums(SegmentReader segment, int rows) {
    BigInteger[] sums = {BigInteger.ZERO, BigInteger.ZERO};
    FlowColumn[] columns = {FlowColumn.BYTES, FlowColumn.PACKETS};
    long[] values = new long[BLOCK];
    long[] known = new long[BLOCK / 64];
    for (int c = 0; c < columns.length; c++) {
      // In halves: even the halves of a full segment's rows overflow no long.
      long high = 0;
      long low = 0;
      for (int from = 0; from < rows; from += BLOCK) {
        int n = Math.min(BLOCK, rows - from);
        segment.readLongs(columns[c], from, n, values);
        segment.readValidity(columns[c], from, n, known);
        for (int i = 0; i < n; i++) {
          if ((known[i >>> 6] >>> i & 1) != 0) {
            high += values[i] >> 32;
            low += values[i] & 0xFFFF_FFFFL;
          }
        }
      }
      sums[c] = BigInteger.valueOf(high).shiftLeft(32).add(BigInteger.valueOf(low));
    }
    return new RowSums(rows, sums[0], sums[1]);
  }

  private void split(SegmentReader segment, int firstRow, Map<Long, List<FlowRows>> slices) {
    long[] keys = new long[BLOCK];
    long[] arrivals = new long[BLOCK];
    long[] known = new long[BLOCK / 64];
    Map<Long, RowList> rows = new TreeMap<>();
    RowList current = null;
    long currentSlice = 0;
    for (int from = firstRow; from < segment.rows(); from += BLOCK) {
      int n = Math.min(BLOCK, segment.rows() - from);
      segment.readLongs(FlowColumn.END_TIME, from, n, keys);
      segment.readValidity(FlowColumn.END_TIME, from, n, known);
      segment.readLongs(FlowColumn.ARRIVAL, from, n, arrivals);
      for (int i = 0; i < n; i++) {
        boolean isKnown = (known[i >>> 6] >>> i & 1) != 0;
        long key = isKnown ? TimeKey.of(keys[i], arrivals[i]) : arrivals[i];
        long slice = CompactionSlice.of(key, arrivals[i]);
        if (current == null || slice != currentSlice) {
          current = rows.computeIfAbsent(slice, s -> new RowList());
          currentSlice = slice;
        }
        current.add(from + i);
      }
    }
    rows.forEach(
        (slice, list) ->
            slices
                .computeIfAbsent(slice, s -> new ArrayList<>())
                .add(
                    list.count == segment.rows()
                        ? segment
                        : new SelectedRows(segment).select(list.rows, list.count)));
  }

  /** Row numbers of one slice. */
  private static final class RowList {
    private int[] rows = new int[BLOCK];
    private int count;

    void add(int row) {
      if (count == rows.length) {
        rows = java.util.Arrays.copyOf(rows, 2 * count);
      }
      rows[count++] = row;
    }
  }
}
