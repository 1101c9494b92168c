package org.flowmon.archive.maintenance;

import org.flowmon.archive.segment.writer.SegmentWriter;

/**
 * Target sizes of segments.
 *
 * @param targetRows rows of a segment of a current day, about
 * @param finalRows rows of a segment of a past day, about; the arrays of the writer take some 100
 *     bytes of heap for each
 */
public record CompactionOptions(int targetRows, int finalRows) {
  /** A million rows, and four million for a past day. */
  public static final CompactionOptions DEFAULTS = new CompactionOptions(1_000_000, 4_000_000);

  public CompactionOptions {
    // A merge takes up to half as many rows again.
    if (targetRows < 2 || finalRows < targetRows || finalRows > SegmentWriter.MAX_ROWS / 2) {
      throw new IllegalArgumentException(
          "segments of "
              + targetRows
              + " and "
              + finalRows
              + " rows, expected 2 <= target <= final <= "
              + SegmentWriter.MAX_ROWS / 2);
    }
  }
}
