package org.flowmon.jobs.sink.archive;

import java.util.ArrayList;
import java.util.List;
import org.flowmon.archive.commit.CommitResult;
import org.flowmon.archive.commit.SourceRange;
import org.flowmon.flow.FlowBatch;
import org.flowmon.jobs.source.PositionedBatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One source's positions in one writer: the archive's when it opened, and the ranges taken since
 * the last barrier. Positions that never came (deleted by retention, no flow batch) end a range:
 * the archive keeps a gap. Beyond {@link #MAX_RANGES} ranges between barriers the last goes on over
 * holes, so that they fill neither memory nor manifest; the gap before it spans all their arrivals,
 * which so do not count as archived.
 */
final class SourcePositions {
  static final int MAX_RANGES = 4096;

  private static final Logger LOG = LoggerFactory.getLogger(SourcePositions.class);

  private final String sourceKey;
  private final ArchivedPositions.Source archived;
  private final List<SourceRange> ranges = new ArrayList<>();
  private long first = -1;
  private long end = -1;
  private long firstArrival;
  private long maxArrival = Long.MIN_VALUE;
  private boolean ended;
  private long missing;
  // A gap that can stand for others lies before the open range.
  private boolean afterHole;
  private long swallowed;
  // A repeat's arrival does not fit those around its place.
  private boolean awaitsArrival;

  SourcePositions(String sourceKey, ArchivedPositions.Source archived) {
    this.sourceKey = sourceKey;
    this.archived = archived;
    this.ended = archived.ended();
  }

  /** Takes positions in ascending order; false if the archive has it already. */
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
      // below the committed end, the positions between may be in the archive
      if (first < 0 || !afterHole || ranges.size() < MAX_RANGES || end < archived.end()) {
        closeRange();
      } else {
        swallowed += offset - end;
        awaitsArrival = true;
      }
    }
    if (first < 0) {
      first = offset;
      firstArrival = Long.MIN_VALUE;
      awaitsArrival = true;
      afterHole = end >= archived.end() && offset > end && end >= 0;
    }
    end = offset + 1;
    if (!record.repeat()) {
      if (awaitsArrival) {
        firstArrival = Math.max(firstArrival, Math.min(batch.minArrival(), record.reached()));
        awaitsArrival = false;
      }
      ended = batch.isEndOfInput();
      if (!ended) {
        maxArrival = Math.max(maxArrival, record.reached());
      }
    }
    return true;
  }

  private boolean isCommitted(long offset) {
    if (offset >= archived.end() || offset < archived.first()) {
      return false;
    }
    for (CommitResult.Gap gap : archived.gaps()) {
      if (offset >= gap.firstOffset() && offset < gap.endOffset()) {
        return false;
      }
    }
    return true;
  }

  private void closeRange() {
    if (first >= 0) {
      long known = awaitsArrival ? Long.MAX_VALUE : firstArrival;
      ranges.add(new SourceRange(sourceKey, first, end, known, maxArrival, ended));
      first = -1;
    }
  }

  List<SourceRange> drain() {
    closeRange();
    if (swallowed > 0) {
      LOG.warn(
          "source {}: more than {} holes between two checkpoints; {} offsets that never came count"
              + " as part of the last gap",
          sourceKey,
          MAX_RANGES,
          swallowed);
      swallowed = 0;
    }
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
