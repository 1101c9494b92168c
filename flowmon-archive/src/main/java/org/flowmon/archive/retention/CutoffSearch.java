package org.flowmon.archive.retention;

import java.util.List;
import org.flowmon.archive.sorted.BinarySearch;
import org.jspecify.annotations.Nullable;

/**
 * Hides the oldest rows of several segments until the rest is within a limit. Rows are ordered by
 * time key, then by the order of segments, then by place: each segment keeps its last rows. Keys
 * are found by binary search in the segments that hold keys of the times in question; rows are not
 * read one by one.
 */
final class CutoffSearch {
  /** The weight of rows against a limit. */
  interface Weight {
    /** The weight of a segment's rows from one on; monotonic in their number, 0 for none. */
    long of(SegmentKeys segment, int firstRow);
  }

  private final List<SegmentKeys> segments;
  private final int[] first;
  private long cutoff;

  /** Begins with the rows hidden already, below the time key (µs) {@code cutoff}. */
  CutoffSearch(List<SegmentKeys> segments, long cutoff) {
    this.segments = segments;
    this.cutoff = cutoff;
    this.first = new int[segments.size()];
    for (int i = 0; i < first.length; i++) {
      first[i] = segments.get(i).firstRow();
    }
  }

  int[] firstRows() {
    return first;
  }

  long cutoff() {
    return cutoff;
  }

  void hideBefore(long time) {
    if (time > cutoff) {
      cutoff = time;
      for (int i = 0; i < first.length; i++) {
        first[i] = Math.max(first[i], segments.get(i).lowerBound(time));
      }
    }
  }

  long weigh(Weight weight) {
    long sum = 0;
    for (int i = 0; i < first.length; i++) {
      sum += weight.of(segments.get(i), first[i]);
    }
    return sum;
  }

  /**
   * Hides the oldest rows until the rest weighs no more than a limit. The hint, null for none, is
   * the interval that probably holds the deciding key; a wrong one costs time.
   */
  void hideUntil(Weight weight, long limit, TimestampHistogram.@Nullable Interval hint) {
    if (weigh(weight) <= limit) {
      return;
    }
    long low = Long.MAX_VALUE;
    long high = Long.MIN_VALUE;
    for (int i = 0; i < first.length; i++) {
      if (first[i] < segments.get(i).segment().rows()) {
        low = Math.min(low, segments.get(i).segment().timeKey().min());
        high = Math.max(high, segments.get(i).segment().timeKey().max());
      }
    }
    if (hint != null && hint.first() <= hint.last()) {
      boolean before = hint.first() > low && weighAfter(weight, hint.first() - 1) <= limit;
      boolean after = hint.last() < high && weighAfter(weight, hint.last()) > limit;
      if (!before && !after) {
        low = Math.max(low, hint.first());
        high = Math.min(high, hint.last());
      }
    }
    hideTies(weight, limit, decidingKey(weight, limit, low, high));
  }

  private long weighAfter(Weight weight, long time) {
    long sum = 0;
    for (int i = 0; i < first.length; i++) {
      SegmentKeys segment = segments.get(i);
      sum += weight.of(segment, Math.max(first[i], segment.upperBound(time)));
    }
    return sum;
  }

  /** The smallest key in low … high such that the rows with larger ones are within the limit. */
  private long decidingKey(Weight weight, long limit, long low, long high) {
    long from = low;
    long to = high;
    int n = first.length;
    int[] least = new int[n];
    int[] most = new int[n];
    int[] found = new int[n];
    for (int i = 0; i < n; i++) {
      most[i] = segments.get(i).segment().rows();
    }
    while (from < to) {
      long middle = (from & to) + ((from ^ to) >> 1); // rounded down, whatever the signs
      long sum = 0;
      for (int i = 0; i < n; i++) {
        // middle < to: there is a time after it.
        found[i] = segments.get(i).lowerBound(middle + 1, least[i], most[i]);
        sum += weight.of(segments.get(i), Math.max(first[i], found[i]));
      }
      if (sum <= limit) {
        to = middle;
        System.arraycopy(found, 0, most, 0, n);
      } else {
        from = middle + 1;
        System.arraycopy(found, 0, least, 0, n);
      }
    }
    return from;
  }

  /** Hides rows older than a key, and as many as necessary of those with this key. */
  private void hideTies(Weight weight, long limit, long key) {
    hideBefore(key);
    long over = weigh(weight) - limit;
    boolean all = true;
    for (int i = 0; i < first.length; i++) {
      SegmentKeys segment = segments.get(i);
      int end = Math.max(first[i], segment.upperBound(key));
      if (over > 0) {
        long weighed = weight.of(segment, first[i]);
        first[i] = firstWithin(weight, segment, weighed - over, first[i], end);
        over -= weighed - weight.of(segment, first[i]);
      }
      all &= first[i] == end;
    }
    if (all && key < Long.MAX_VALUE) {
      cutoff = Math.max(cutoff, key + 1);
    }
  }

  private static int firstWithin(Weight weight, SegmentKeys segment, long limit, int from, int to) {
    return BinarySearch.first(from, to, row -> weight.of(segment, row) <= limit);
  }
}
