package org.flowmon.archive.maintenance;

import java.util.BitSet;
import java.util.List;
import java.util.function.Function;
import org.flowmon.archive.segment.SealedSegment;

/** Which segments compaction has no more to do with: what is derived from them stays. */
public final class SettledSegments {
  private SettledSegments() {}

  /**
   * Tells of segments the places of those that stay as they are, until rows arrive late or expire.
   *
   * @param options null if nothing is merged: all stay
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
