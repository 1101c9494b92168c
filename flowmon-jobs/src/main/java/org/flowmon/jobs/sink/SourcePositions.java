package org.flowmon.jobs.sink;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.ArchiveSnapshot;
import org.flowmon.archive.manifest.CommitResult;
import org.flowmon.archive.manifest.SourceRange;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.source.PositionedBatch;

/**
 * One source's positions in one writer: which were in the archive when the writer opened, and the
 * ranges taken since the last barrier.
 *
 * <p>Positions that never came (deleted by Kafka's retention, no flow batch) end a range, so that
 * the archive keeps them as a gap; beyond {@link #MAX_RANGES} ranges between two barriers they are
 * counted only, so that a log full of holes does not fill the manifest.
 */
final class SourcePositions {
  private static final int MAX_RANGES = 16;

  private final String sourceKey;
  private final long committedEnd;
  private final List<CommitResult.Gap> committedGaps;
  private final List<SourceRange> ranges = new ArrayList<>();
  private long first = -1;
  private long end = -1;
  private long firstArrival;
  private long maxArrival = Long.MIN_VALUE;
  private boolean ended;
  private long missing;

  SourcePositions(String sourceKey, ArchiveSnapshot archived) {
    this.sourceKey = sourceKey;
    this.committedEnd = archived.committedEnd(sourceKey);
    this.committedGaps =
        archived.gaps().stream().filter(gap -> gap.sourceKey().equals(sourceKey)).toList();
    // Only what brings nothing more reaches the end of time.
    this.ended = archived.reaches(List.of(sourceKey), Long.MAX_VALUE);
  }

  /**
   * Takes a position, in ascending order.
   *
   * @return false where the archive has it already
   */
  boolean take(PositionedBatch record) {
    long offset = record.offset();
    FlowBatch batch = record.batch();
    if (end > offset) {
      throw new IllegalStateException(
          "source " + sourceKey + " gave offset " + offset + " after " + (end - 1));
    }
    if (isCommitted(offset)) {
      closeRange();
      end = offset + 1;
      return false;
    }
    if (end >= 0 && offset > end) {
      missing += offset - end;
      // below the committed end, what lies between may be in the archive
      if (ranges.size() < MAX_RANGES || end < committedEnd) {
        closeRange();
      }
    }
    if (first < 0) {
      first = offset;
      firstArrival = batch.minArrival();
    }
    end = offset + 1;
    if (!record.repeat()) {
      ended = batch.isEndOfInput();
      if (!ended) {
        maxArrival = Math.max(maxArrival, batch.maxArrival());
      }
    }
    return true;
  }

  private boolean isCommitted(long offset) {
    if (offset >= committedEnd) {
      return false;
    }
    for (CommitResult.Gap gap : committedGaps) {
      if (offset >= gap.firstOffset() && offset < gap.endOffset()) {
        return false;
      }
    }
    return true;
  }

  private void closeRange() {
    if (first >= 0) {
      ranges.add(new SourceRange(sourceKey, first, end, firstArrival, maxArrival, ended));
      first = -1;
    }
  }

  /** Hands over the ranges since the last call. */
  List<SourceRange> drain() {
    closeRange();
    List<SourceRange> drained = List.copyOf(ranges);
    ranges.clear();
    return drained;
  }

  /** Positions that never came, since the last call. */
  long drainMissing() {
    long drained = missing;
    missing = 0;
    return drained;
  }
}
