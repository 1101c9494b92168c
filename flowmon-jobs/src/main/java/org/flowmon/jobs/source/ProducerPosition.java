package org.flowmon.jobs.source;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchHeader;

/**
 * How far the stream of one producer has been read in one partition. Batches are numbered without a
 * gap; the last 64 numbers are remembered one by one (the anti-replay window of RFC 4303 section
 * 3.4.3), so that a batch that was passed over and comes later is taken, and one that comes again
 * is not.
 *
 * @param next the number after the largest seen
 * @param seen bit i: number {@code next − 1 − i} was seen
 * @param flows the producer's cumulative flows at the largest number seen
 * @param losses the producer's cumulative losses there
 * @param arrival largest arrival there, in microseconds: the longest silent producer is forgotten
 *     first
 * @param passedOver the number after the largest that fell out of the window and was never seen;
 *     {@link Long#MIN_VALUE} where none was passed over. From here on all before the window was
 *     seen
 */
record ProducerPosition(
    String sourceKey,
    long producerId,
    long next,
    long seen,
    long flows,
    long losses,
    long arrival,
    long passedOver) {
  static final int WINDOW = 64;

  /** The position after the first batch that is seen of a producer. */
  static ProducerPosition first(String sourceKey, FlowBatch batch) {
    // What was before it is not ours to judge: the job may have begun in the middle. All of it
    // counts as seen.
    return new ProducerPosition(
        sourceKey,
        batch.producerId(),
        batch.sequence() + 1,
        -1L,
        batch.cumulativeFlows(),
        batch.cumulativeLosses(),
        batch.maxArrival(),
        Long.MIN_VALUE);
  }

  /** Whether a number was seen before, or lies so far back that it must count as seen. */
  boolean isRepeat(long sequence) {
    long back = next - 1 - sequence;
    return back >= 0 && (back >= WINDOW || (seen >>> back & 1) != 0);
  }

  /** Whether a number below {@link #next} was seen for sure: it was taken, or came before all. */
  boolean isSeen(long sequence) {
    return isRepeat(sequence) && (next - 1 - sequence < WINDOW || sequence >= passedOver);
  }

  /** Whether a batch that is no repeat fills a gap that was counted before. */
  boolean fillsGap(long sequence) {
    return sequence < next;
  }

  /** Whether a batch that cannot be taken is by its header the one that follows. */
  boolean isNext(FlowBatchHeader header) {
    return header.sequence() == next && header.cumulativeFlows() == flows + header.rows();
  }

  /** The position after such a batch, whose flows are lost. */
  ProducerPosition withLost(FlowBatchHeader header) {
    return new ProducerPosition(
        sourceKey,
        producerId,
        next + 1,
        seen << 1 | 1,
        header.cumulativeFlows(),
        losses,
        arrival,
        passedOverAfter(1));
  }

  /** The position with a batch that is no repeat. */
  ProducerPosition with(FlowBatch batch) {
    long sequence = batch.sequence();
    if (sequence < next) {
      return new ProducerPosition(
          sourceKey,
          producerId,
          next,
          seen | 1L << (next - 1 - sequence),
          flows,
          losses,
          arrival,
          passedOver);
    }
    long step = sequence + 1 - next;
    long bits = step >= WINDOW ? 1 : seen << step | 1;
    return new ProducerPosition(
        sourceKey,
        producerId,
        sequence + 1,
        bits,
        batch.cumulativeFlows(),
        batch.cumulativeLosses(),
        Math.max(arrival, batch.maxArrival()),
        passedOverAfter(step));
  }

  private long passedOverAfter(long step) {
    if (step > WINDOW) {
      return next + step - WINDOW; // what never was in the window was not seen
    }
    long leaving = ~seen & -1L << (WINDOW - step);
    return leaving == 0 ? passedOver : next - Long.numberOfTrailingZeros(leaving);
  }

  /** Batches that are missing before a batch beyond {@link #next}. */
  long missingBatches(FlowBatch batch) {
    return Math.max(0, batch.sequence() - next);
  }

  /** Flows in the missing batches, from the producer's cumulative counts. */
  long missingFlows(FlowBatch batch) {
    return Math.max(0, batch.cumulativeFlows() - batch.rows() - flows);
  }

  /** Flows that the producer itself says it lost since. */
  long producerLosses(FlowBatch batch) {
    return Math.max(0, batch.cumulativeLosses() - losses);
  }
}
