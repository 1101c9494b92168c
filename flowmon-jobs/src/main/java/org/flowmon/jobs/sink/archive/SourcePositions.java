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
 * One source's positions in one writer: those in the archive when the writer opened, and the ranges
 * taken since the last barrier.
 *
 * <p>Positions that never came (deleted by Kafka's retention, no flow batch) end a range, so that
 * the archive keeps them as a gap. Beyond {@link #MAX_RANGES} ranges between two barriers the last
 * range goes on over holes, so that a log full of holes does not fill memory and manifest. The gap
 * before it then spans the arrivals of all of them, so they do not count as archived.
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
  // Whether a hole lies before the open range: a gap that can stand for others.
  private boolean afterHole;
  private long swallowed;
  // A repeat's arrival does not fit those around its place.
  private boolean awaitsArrival;

  SourcePositions(String sourceKey, ArchivedPositions.Source archived) {
    this.sourceKey = sourceKey;
    this.archived = archived;
    this.ended = archived.ended();
  }

  /**
   * Takes a position, in ascending order.
   *
   * @return false if the archive has it already
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

  /** Hands over the ranges since the last call. */
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

  /** Returns the number of positions that never came, since the last call. */
  long drainMissing() {
    long drained = missing;
    missing = 0;
    return drained;
  }
}
