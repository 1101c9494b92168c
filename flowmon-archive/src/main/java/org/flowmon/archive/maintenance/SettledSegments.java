package org.flowmon.archive.maintenance;

import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import org.flowmon.archive.segment.SealedSegment;

/** The segments that compaction will not merge any more: files derived from them stay valid. */
public final class SettledSegments {
  private SettledSegments() {}

  /**
   * A function from segments to the places of settled ones, until rows arrive late or expire.
   *
   * @param options null if nothing is merged: all are settled
   */
  public static Function<List<SealedSegment>, BitSet> by(CompactionOptions options) {
    return segments -> {
      if (options != null) {
        return new CompactionPlan(options).settled(segments);
      }
      BitSet all = new BitSet(segments.size());
      all.set(0, segments.size());
      return all;
    };
  }
}
