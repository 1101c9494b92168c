package org.flowmon.archive.block;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import org.flowmon.archive.SegmentLease;
import org.flowmon.archive.query.plan.QueriedArchives;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.SelectedRows;
import org.flowmon.archive.segment.reader.TimeKeys;
import org.flowmon.flow.FlowColumn;
import org.flowmon.flow.FlowRows;
import org.flowmon.udaf.constraint.Constraints;
import org.flowmon.udaf.expression.CompiledPredicate;
import org.flowmon.udaf.query.Expression;
import org.flowmon.udaf.set.LongRanges;
import org.flowmon.udaf.vector.Vector;
import org.jspecify.annotations.Nullable;

/** The rows of one segment that pass a filter, in the segment's time order. */
final class SegmentBlocks implements TimeMerge.Parkable, TimeMerge.Pending {
  private static final int BLOCK = Vector.CAPACITY;

  /** A scan's request to each segment. */
  record Wanted(QueriedArchives archives, Set<FlowColumn> columns, @Nullable Expression where) {
    @Nullable LongRanges endTimes() {
      return Constraints.of(where).longs(FlowColumn.END_TIME);
    }
  }

  /** A block and the places of its rows in the segment. */
  private static final class Part {
    final FlowBlock block;
    private final int from;
    private final int @Nullable [] kept; // null if all rows from `from` on are in the block

    Part(FlowBlock block, int from, int @Nullable [] kept) {
      this.block = block;
      this.from = from;
      this.kept = kept;
    }

    int row(int ofBlock) {
      return kept == null ? from + ofBlock : kept[ofBlock];
    }
  }

  private final SealedSegment segment;
  private final Wanted wanted;
  private final ReadAhead readAhead;
  private final Deque<Future<Part>> decoding = new ArrayDeque<>();
  // A compiled filter is used by one thread at a time.
  private final Queue<CompiledPredicate> filters = new ConcurrentLinkedQueue<>();
  private @Nullable SegmentBlocks following;
  private @Nullable SegmentLease lease; // null while closed or parked
  private @Nullable Part given;
  private boolean isPlanned;
  private boolean isClosed;
  private int at;
  private int end;

  SegmentBlocks(SealedSegment segment, Wanted wanted, ReadAhead readAhead) {
    this.segment = segment;
    this.wanted = wanted;
    this.readAhead = readAhead;
  }

  /** Sets the segment to begin with when all of this one is being decoded. */
  void setFollowing(SegmentBlocks next) {
    this.following = next;
  }

  @Override
  public long firstTime() {
    return segment.timeKey().min();
  }

  @Override
  public BlockSource open() throws IOException {
    start();
    return this;
  }

  /** Opens the segment and has its next blocks decoded, unless that has happened. */
  private void start() throws IOException {
    if (lease != null || isClosed) {
      return;
    }
    SegmentLease opened = wanted.archives().open(segment);
    lease = opened;
    if (!isPlanned) {
      plan(opened);
      isPlanned = true;
    }
    decode();
  }

  private void plan(SegmentLease opened) {
    SegmentReader rows = opened.rows();
    end = rows.rows();
    LongRanges times = wanted.endTimes();
    if (times != null && times.isEmpty()) {
      end = 0;
    } else if (times != null && rows.clampedRows() == 0) {
      // Rows without an end time satisfy no range of it, wherever they lie.
      TimeKeys keys = new TimeKeys(rows);
      at = keys.lowerBound(times.first(0));
      long last = times.last(times.count() - 1);
      end = last == Long.MAX_VALUE ? end : keys.lowerBound(last + 1);
    }
    at = Math.max(at, opened.firstRow());
  }

  private void decode() throws IOException {
    while (at < end && (decoding.isEmpty() || readAhead.hasRoom())) {
      int from = at;
      int count = Math.min(BLOCK, end - at);
      at += count;
      SegmentReader rows = Objects.requireNonNull(lease, "not open").rows();
      decoding.add(readAhead.submit(() -> part(rows, from, count)));
    }
    // Segments without a matching row are not opened ahead.
    if (at >= end && !decoding.isEmpty() && readAhead.hasRoom()) {
      SegmentBlocks next = following;
      following = null;
      if (next != null) {
        next.start();
      }
    }
  }

  private Part part(SegmentReader rows, int from, int count) {
    CompiledPredicate filter = filters.poll();
    filter = filter == null ? CompiledPredicate.of(wanted.where()) : filter;
    int[] kept = new int[count];
    int n = filter.select(rows, from, count, kept);
    filters.add(filter);
    if (n == count) {
      return new Part(BlockReader.read(rows, wanted.columns(), from, count), from, null);
    }
    for (int i = 0; i < n; i++) {
      kept[i] += from;
    }
    FlowRows some = new SelectedRows(rows).select(kept, n);
    return new Part(BlockReader.read(some, wanted.columns(), 0, n), from, kept);
  }

  @Override
  public @Nullable FlowBlock next() throws IOException {
    start();
    while (!decoding.isEmpty()) {
      Part part = readAhead.await(decoding.remove());
      given = part;
      decode();
      if (part.block.rows() > 0) {
        return part.block;
      }
    }
    return null;
  }

  boolean isOpen() {
    return lease != null;
  }

  @Override
  public void park(int unread) throws IOException {
    Part last = Objects.requireNonNull(given, "nothing was read");
    at = last.row(last.block.rows() - unread);
    given = null;
    while (!decoding.isEmpty()) {
      readAhead.await(decoding.remove()); // nobody reads on when the lease is given back
    }
    giveBack();
  }

  private void giveBack() {
    SegmentLease held = lease;
    if (held != null) {
      held.close();
      lease = null;
    }
  }

  /** Closes the segment while no block is being decoded: at its end, or without threads. */
  @Override
  public void close() {
    isClosed = true;
    giveBack();
  }
}
