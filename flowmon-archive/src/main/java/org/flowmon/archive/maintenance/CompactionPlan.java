package org.flowmon.archive.maintenance;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.flowmon.archive.segment.SealedSegment;

/**
 * Chooses the segments to merge next. It depends only on the archive's content, without state or
 * clock of its own: the newest arrival is the time.
 *
 * <p>Segments are merged within a slice of time ({@link CompactionSlice}), smallest first, in three
 * cases: it fills a segment; {@link #FAN_IN} segments of about one size have gathered; in a past
 * day, it makes a segment at least a third larger than its largest part. Each enlarges the merged
 * segments by a factor. So the number of times a row is rewritten is logarithmic in the ratio of a
 * full segment to a fresh one: once or twice if fresh segments have 100,000 rows. It ends: segments
 * of one day become one, and segments that mix days become segments of one day and at most one of
 * strays.
 */
final class CompactionPlan {
  /** So many small segments of a slice are always worth a merge. */
  static final int FAN_IN = 8;

  private final CompactionOptions options;

  CompactionPlan(CompactionOptions options) {
    this.options = options;
  }

  /** The segments to merge next, none of the excluded ids; empty if there is nothing to gain. */
  List<SealedSegment> next(List<SealedSegment> segments, Set<String> excluded) {
    List<SealedSegment> best = List.of();
    if (!options.merges()) {
      return best;
    }
    long newest = newestArrival(segments);
    Map<Long, List<SealedSegment>> slices = slices(segments, excluded);
    for (Map.Entry<Long, List<SealedSegment>> slice : slices.entrySet()) {
      List<SealedSegment> merge =
          merge(slice.getValue(), CompactionSlice.isOver(slice.getKey(), newest));
      // The merge that saves most probes of a lookup comes first.
      if (merge.size() > best.size()) {
        best = merge;
      }
    }
    return best;
  }

  /** {@link CompactionOptions#settled}: full segments, and past days without a worthwhile merge. */
  BitSet settled(List<SealedSegment> segments) {
    long newest = newestArrival(segments);
    Map<Long, List<SealedSegment>> slices = slices(segments, Set.of());
    Set<Long> done = new HashSet<>();
    slices.forEach(
        (slice, some) -> {
          if (CompactionSlice.isOver(slice, newest) && merge(some, true).isEmpty()) {
            done.add(slice);
          }
        });
    BitSet settled = new BitSet(segments.size());
    for (int i = 0; i < segments.size(); i++) {
      SealedSegment segment = segments.get(i);
      long slice = CompactionSlice.of(segment);
      int full = slice == CompactionSlice.MIXED ? options.targetRows() : options.finalRows();
      settled.set(i, segment.rows() >= full / 2 || done.contains(slice));
    }
    return settled;
  }

  private static long newestArrival(List<SealedSegment> segments) {
    long newest = Long.MIN_VALUE;
    for (SealedSegment segment : segments) {
      newest = Math.max(newest, segment.arrival().max());
    }
    return newest;
  }

  private static Map<Long, List<SealedSegment>> slices(
      List<SealedSegment> segments, Set<String> excluded) {
    Map<Long, List<SealedSegment>> slices = new TreeMap<>();
    for (SealedSegment segment : segments) {
      if (!excluded.contains(segment.id())) {
        slices.computeIfAbsent(CompactionSlice.of(segment), s -> new ArrayList<>()).add(segment);
      }
    }
    return slices;
  }

  private List<SealedSegment> merge(List<SealedSegment> slice, boolean over) {
    int full = over ? options.finalRows() : options.targetRows();
    List<SealedSegment> small = new ArrayList<>(slice);
    small.removeIf(segment -> segment.rows() >= full / 2);
    small.sort(Comparator.comparingInt(SealedSegment::rows).thenComparing(SealedSegment::id));
    long rows = 0;
    int count = 0;
    int worth = 0; // the longest prefix that is worth a merge
    for (SealedSegment segment : small) {
      boolean grows = over && count > 0 && segment.rows() <= 3 * rows;
      rows += segment.rows();
      count++;
      if (rows >= full) {
        return small.subList(0, count);
      }
      if (grows || (count >= FAN_IN && isTier(small, count))) {
        worth = count;
      }
    }
    return small.subList(0, worth);
  }

  /** Whether the largest of {@code count} is not much larger than {@link #FAN_IN} places before. */
  private static boolean isTier(List<SealedSegment> ascending, int count) {
    long largest = ascending.get(count - 1).rows();
    return largest <= 4L * ascending.get(count - FAN_IN).rows();
  }
}
