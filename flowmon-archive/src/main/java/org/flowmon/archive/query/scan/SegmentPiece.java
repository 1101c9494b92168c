package org.flowmon.archive.query.scan;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.flowmon.archive.index.RowSet;
import org.flowmon.archive.query.plan.RowRanges;
import org.flowmon.archive.segment.SealedSegment;

/** The unit of a thread's work: share {@code number}, from 0, of a segment's rows in the query. */
public record SegmentPiece(SealedSegment segment, int number, int of, SharedAccess access) {
  // With so many segments for each thread, threads end at about the same time anyway.
  private static final int SEGMENTS_PER_THREAD = 8;

  /** The access path that the pieces of a segment share. Safe for many threads. */
  public static final class SharedAccess {
    private int left; // pieces of the segment that are not done
    private Optional<RowAccess> access = Optional.empty();

    public SharedAccess(int pieces) {
      this.left = pieces;
    }

    /** The access path, planned for the first piece that asks. */
    synchronized RowAccess planned(Supplier<RowAccess> planner) {
      if (access.isEmpty()) {
        access = Optional.of(planner.get());
      }
      return access.get();
    }

    /** Frees the path with the last piece: those of many segments would be large. */
    synchronized void pieceDone() {
      left--;
      if (left == 0) {
        access = Optional.empty();
      }
    }

    synchronized boolean isEmpty() {
      return access.isEmpty();
    }
  }

  public static List<SegmentPiece> whole(List<SealedSegment> segments) {
    return segments.stream().map(s -> new SegmentPiece(s, 0, 1, new SharedAccess(1))).toList();
  }

  /**
   * Cuts large segments if they are too few to keep all threads busy; pieces below {@code minRows}
   * cost more to begin than they help threads to end together.
   */
  public static List<SegmentPiece> cut(List<SealedSegment> segments, int threads, int minRows) {
    if (threads == 1 || segments.size() >= SEGMENTS_PER_THREAD * threads) {
      return whole(segments);
    }
    // First one piece of each segment, so that threads do not begin with the same postings.
    List<SegmentPiece> pieces = cutInOrder(segments, threads, minRows);
    pieces.sort(Comparator.comparingInt(SegmentPiece::number));
    return pieces;
  }

  /** As {@link #cut}, with the pieces of a segment in sequence. */
  public static List<SegmentPiece> cutInOrder(
      List<SealedSegment> segments, int threads, int minRows) {
    List<SegmentPiece> pieces = new ArrayList<>();
    for (SealedSegment segment : segments) {
      int of = Math.max(1, Math.min(threads, segment.rows() / minRows));
      SharedAccess access = new SharedAccess(of);
      for (int number = 0; number < of; number++) {
        pieces.add(new SegmentPiece(segment, number, of, access));
      }
    }
    return pieces;
  }

  /** Whether counts by segment are made with this piece. */
  public boolean isFirst() {
    return number == 0;
  }

  RowRanges share(RowRanges ranges) {
    return ranges.share(number, of);
  }

  RowSet share(RowSet rows) {
    long size = rows.size();
    return rows.slice((int) (size * number / of), (int) (size * (number + 1) / of));
  }
}
