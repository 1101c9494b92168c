package org.flowmon.jobs.source;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchHeader;

/**
 * The read position in one producer's stream in one partition. Batches are numbered without a gap.
 * The last 64 numbers are remembered one by one (anti-replay window of RFC 4303 section 3.4.3): a
 * skipped batch that comes later is taken, a repeat not.
 *
 * @param next the number after the largest seen
 * @param seen bit i: number {@code next − 1 − i} was seen
 * @param flows the producer's cumulative flows at the largest number seen
 * @param losses the producer's cumulative losses there
 * @param arrival the largest {@linkplain PositionedBatch#reached reached}, in microseconds: the
 *     longest silent producer is forgotten first
 * @param passedOver after the largest number that fell out of the window unseen, {@link
 *     Long#MIN_VALUE} if none: from here on all before the window was seen
 * @param taken number of batches taken, up to {@link #ESTABLISHED}
 * @param told flows of refused messages, numbered after the largest seen, that no gap explains:
 *     already counted as lost if one covers them in the end
 */
record ProducerPosition(
    String sourceKey,
    long producerId,
    long next,
    long seen,
    long flows,
    long losses,
    long arrival,
    long passedOver,
    int taken,
    long told) {
  static final int WINDOW = 64;

  /** After so many batches a producer is real, not made up for one message. */
  static final int ESTABLISHED = 8;

  /** No stream loses more batches in a row, except after the topic's retention. */
  static final long MAX_MISSING = 1 << 20;

  // Lost between two batches, by the producer's own count.
  private static final long MAX_LOSSES = 1L << 32;

  static ProducerPosition first(PositionedBatch record) {
    FlowBatch batch = record.batch();
    // Earlier batches count as seen: the job may have begun in the middle.
    return new ProducerPosition(
        record.sourceKey(),
        batch.producerId(),
        batch.sequence() + 1,
        -1L,
        batch.cumulativeFlows(),
        batch.cumulativeLosses(),
        record.reached(),
        Long.MIN_VALUE,
        1,
        0);
  }

  /** It was seen before, or is so far back that it must count as seen. */
  boolean isRepeat(long sequence) {
    long back = next - 1 - sequence;
    return back >= 0 && (back >= WINDOW || (seen >>> back & 1) != 0);
  }

  /** Below {@link #next}, certainly seen: taken, or before all. */
  boolean isSeen(long sequence) {
    return isRepeat(sequence) && (next - 1 - sequence < WINDOW || sequence >= passedOver);
  }

  /** Whether a batch that is no repeat fills a counted gap. */
  boolean fillsGap(long sequence) {
    return sequence < next;
  }

  /** Whether no gap will cover a batch that cannot be taken: its number is no gap's. */
  boolean isBeyondGaps(FlowBatchHeader header) {
    return header.sequence() - next > MAX_MISSING;
  }

  /** Whether a batch that cannot be taken is the next one by its header. */
  boolean isNext(FlowBatchHeader header) {
    return header.sequence() == next && header.cumulativeFlows() == flows + header.rows();
  }

  /** After a next batch that cannot be taken: flows are lost unless it comes again, valid. */
  ProducerPosition withLost(FlowBatchHeader header) {
    return moved(
        next + 1,
        seen << 1,
        header.cumulativeFlows(),
        losses,
        arrival,
        passedOverAfter(1),
        taken,
        told);
  }

  /** After a message whose flows count as lost though a gap may cover it later. */
  ProducerPosition withTold(long flows) {
    return moved(next, seen, this.flows, losses, arrival, passedOver, taken, told + flows);
  }

  /** Merges two positions of the same stream: the smaller one is stale. */
  ProducerPosition joined(ProducerPosition other) {
    if (next != other.next) {
      return next > other.next ? this : other;
    }
    return moved(
        next,
        seen | other.seen,
        flows,
        losses,
        Math.max(arrival, other.arrival),
        passedOver,
        Math.max(taken, other.taken),
        Math.max(told, other.told));
  }

  ProducerPosition with(PositionedBatch record) {
    FlowBatch batch = record.batch();
    int more = Math.min(taken + 1, ESTABLISHED);
    long sequence = batch.sequence();
    if (sequence < next) {
      long filled = seen | 1L << (next - 1 - sequence);
      return moved(next, filled, flows, losses, arrival, passedOver, more, told);
    }
    long step = sequence + 1 - next;
    long bits = step >= WINDOW ? 1 : seen << step | 1;
    return moved(
        sequence + 1,
        bits,
        batch.cumulativeFlows(),
        batch.cumulativeLosses(),
        Math.max(arrival, record.reached()),
        passedOverAfter(step),
        more,
        0);
  }

  private ProducerPosition moved(
      long next,
      long seen,
      long flows,
      long losses,
      long arrival,
      long passedOver,
      int taken,
      long told) {
    return new ProducerPosition(
        sourceKey, producerId, next, seen, flows, losses, arrival, passedOver, taken, told);
  }

  private long passedOverAfter(long step) {
    if (step > WINDOW) {
      return next + step - WINDOW; // numbers that never were in the window were not seen
    }
    long leaving = ~seen & -1L << (WINDOW - step);
    return leaving == 0 ? passedOver : next - Long.numberOfTrailingZeros(leaving);
  }

  boolean isEstablished() {
    return taken >= ESTABLISHED;
  }

  long missingBatches(FlowBatch batch) {
    return Math.max(0, batch.sequence() - next);
  }

  /** From the producer's cumulative counts. */
  long missingFlows(FlowBatch batch) {
    long most = missingBatches(batch) * FlowBatch.MAX_ROWS;
    return Math.min(most, Math.max(0, batch.cumulativeFlows() - batch.rows() - flows));
  }

  /** What the producer itself reports as lost since, within possible bounds. */
  long producerLosses(FlowBatch batch) {
    return Math.min(MAX_LOSSES, Math.max(0, batch.cumulativeLosses() - losses));
  }
}
