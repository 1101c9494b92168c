package org.flowmon.archive.retention;

import java.io.IOException;
import java.io.UncheckedIOException;
import org.flowmon.archive.region.SegmentCorruptException;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.TimeRange;
import org.flowmon.archive.segment.reader.SegmentReader;
import org.flowmon.archive.segment.reader.TimeKeys;
import org.flowmon.archive.sorted.BinarySearch;
import org.flowmon.flow.FlowColumn;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The time keys of a segment and its first visible row. Opens the file only if the range of keys
 * does not suffice. If it is damaged or lost, keys are assumed to be evenly spread: a damaged old
 * segment must not block commits. An I/O error is no damage: the decision would be permanent, so
 * none is made, and methods that look for keys throw {@link UncheckedIOException}. Not thread-safe.
 */
public final class SegmentKeys {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentKeys.class);

  /** Opens segments; the creator of the opener closes them. */
  public interface Opener {
    /** Throws {@link SegmentCorruptException} if damaged or lost, {@link IOException} if unread. */
    SegmentReader open(SealedSegment segment) throws IOException;

    /** Declares that an opened segment is not read until it is opened again. */
    void release(SealedSegment segment);
  }

  private final SealedSegment segment;
  private final Opener opener;
  private final int firstRow;
  private @Nullable TimeKeys keys; // null while the file is not open
  private boolean unreadable;

  /** {@code firstRow}, the first visible one, may be the number of rows. */
  public SegmentKeys(SealedSegment segment, int firstRow, Opener opener) {
    this.segment = segment;
    this.firstRow = firstRow;
    this.opener = opener;
  }

  public SealedSegment segment() {
    return segment;
  }

  int firstRow() {
    return firstRow;
  }

  /** The first row whose key is at least a time (µs), the number of rows if none is. */
  public int lowerBound(long time) {
    return lowerBound(time, 0, segment.rows());
  }

  public int upperBound(long time) {
    return time == Long.MAX_VALUE ? segment.rows() : lowerBound(time + 1);
  }

  /** As {@link #lowerBound(long)}, if the answer is known to lie within {@code from … to}. */
  int lowerBound(long time, int from, int to) {
    TimeRange range = segment.timeKey();
    if (time <= range.min()) {
      return 0;
    } else if (time > range.max()) {
      return segment.rows();
    } else if (unreadable) {
      return estimate(time);
    }
    try {
      TimeKeys found = open();
      return BinarySearch.first(from, to, row -> found.at(row) >= time);
    } catch (SegmentCorruptException e) {
      return guess(time, e);
    }
  }

  /** Releases the segment's file, so that a store that holds few at a time can fetch the next. */
  void release() {
    if (keys != null) {
      keys = null;
      opener.release(segment);
    }
  }

  private TimeKeys open() {
    if (keys == null) {
      SegmentReader reader;
      try {
        reader = opener.open(segment);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      long[] first = new long[1];
      // Both columns are read, so that damage shows before a decision.
      reader.readLongs(FlowColumn.END_TIME, 0, 1, first);
      reader.readLongs(FlowColumn.ARRIVAL, 0, 1, first);
      keys = new TimeKeys(reader);
    }
    return keys;
  }

  private int guess(long time, SegmentCorruptException why) {
    LOG.warn(
        "segment {} is damaged, so its rows expire as if they were evenly spread over time: {}",
        segment.id(),
        why.getMessage());
    unreadable = true;
    return estimate(time);
  }

  private int estimate(long time) {
    TimeRange range = segment.timeKey();
    double part = ((double) time - range.min()) / ((double) range.max() - range.min());
    return (int) Math.max(1, Math.min(segment.rows(), Math.round(part * segment.rows())));
  }

  /** Counts the keys of rows, from one on, into a histogram. */
  void count(int from, TimestampHistogram histogram) {
    TimeRange range = segment.timeKey();
    if (from >= segment.rows()) {
      return;
    }
    int width = histogram.widthLog2();
    if (range.min() >> width == range.max() >> width) {
      histogram.add(range.min(), segment.rows() - from);
      return;
    }
    // Keys ascend: one search for each non-empty bucket, not one read for each row.
    for (int row = from; row < segment.rows(); ) {
      long key = keyAt(row);
      int end = endOfBucket(key, row, histogram.widthLog2());
      histogram.add(key, end - row);
      row = end;
    }
  }

  private long keyAt(int row) {
    if (!unreadable) {
      try {
        return open().at(row);
      } catch (SegmentCorruptException e) {
        guess(segment.timeKey().min(), e);
      }
    }
    TimeRange range = segment.timeKey();
    double part = (double) row / segment.rows();
    return range.min() + (long) (part * ((double) range.max() - range.min()));
  }

  /** The first later row in a later bucket, found by doubling steps, then by halving. */
  private int endOfBucket(long key, int row, int widthLog2) {
    long bucket = key >> widthLog2;
    int rows = segment.rows();
    int low = row; // in the bucket
    int step = 1;
    while (low + step < rows && keyAt(low + step) >> widthLog2 == bucket) {
      low += step;
      step = Math.min(2 * step, 1 << 20);
    }
    int high = Math.min(rows, low + step); // not in it, or the end
    return BinarySearch.first(low + 1, high, later -> keyAt(later) >> widthLog2 != bucket);
  }
}
