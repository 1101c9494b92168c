package org.flowmon.archive.maintenance;

import java.util.BitSet;
import java.util.List;
import org.flowmon.archive.segment.SealedSegment;
import org.flowmon.archive.segment.writer.SegmentWriter;

/**
 * How many rows segments are merged into.
 *
 * @param targetRows rows of a segment of a current day, about
 * @param finalRows rows of a segment of a past day, about; the writer's arrays take about 124 bytes
 *     of heap for each
 */
public record CompactionOptions(int targetRows, int finalRows) {
  public static final CompactionOptions DEFAULTS = new CompactionOptions(1_000_000, 4_000_000);

  /** Merges nothing: every segment is settled. */
  public static final CompactionOptions NONE = new CompactionOptions(0, 0);

  public CompactionOptions {
    // A merge takes up to half as many rows again.
    boolean isNone = targetRows == 0 && finalRows == 0;
    if ((targetRows < 2 && !isNone)
        || finalRows < targetRows
        || finalRows > SegmentWriter.MAX_ROWS / 2) {
      throw new IllegalArgumentException(
          String.format(
              "segments of %s and %s rows, expected 2 <= target <= final <= %s%s",
              targetRows,
              finalRows,
              SegmentWriter.MAX_ROWS / 2,
              targetRows == 0 ? ", or 0 and 0" : ""));
    }
  }

  boolean merges() {
    return finalRows > 0;
  }

  /** Segments not merged again until rows arrive late or expire: derived files stay valid. */
  public BitSet settled(List<SealedSegment> segments) {
    return new CompactionPlan(this).settled(segments);
  }
}
