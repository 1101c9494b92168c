package org.flowmon.jobs.source;

import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchHeader;

/**
 * The read position in the stream of one producer in one partition. Batches are numbered without a
 * gap. The last 64 numbers are remembered one by one (the anti-replay window of RFC 4303 section
 * 3.4.3), so a skipped batch that comes later is taken, and a repeated one is not.
 *
 * @param next the number after the largest seen
 * @param seen bit i: number {@code next − 1 − i} was seen
 * @param flows the producer's cumulative flows at the largest number seen
 * @param losses the producer's cumulative losses there
 * @param arrival the largest that the producer has {@linkplain PositionedBatch#reached reached}, in
 *     microseconds: the longest silent producer is forgotten first
 * @param passedOver the number after the largest that fell out of the window and was never seen;
 *     {@link Long#MIN_VALUE} if none was passed over. From here on all before the window was seen
 * @param taken number of batches taken, up to {@link #ESTABLISHED}
 * @param told flows of refused messages whose numbers lie after the largest seen and that no gap
 *     explains: already counted as lost if a gap covers them in the end
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

  /** After this many batches a producer is real, not made up for one message. */
  static final int ESTABLISHED = 8;

  /** No stream loses more batches in a row, except after the topic's retention. */
  static final long MAX_MISSING = 1 << 20;

  // The most flows that a producer can lose between two batches, by its own count.
  private static final long MAX_LOSSES = 1L << 32;

  /** Returns the position after a producer's first batch. */
  static ProducerPosition first(PositionedBatch record) {
    FlowBatch batch = record.batch();
    // Earlier batches cannot be judged, as the job may have begun in the middle: all of them count
    // as seen.
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

  /** Whether a number was seen before, or lies so far back that it must count as seen. */
  boolean isRepeat(long sequence) {
    long back = next - 1 - sequence;
    return back >= 0 && (back >= WINDOW || (seen >>> back & 1) != 0);
  }

  /** Whether a number below {@link #next} was certainly seen: it was taken, or came before all. */
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

  /**
   * Returns the position after a next batch that cannot be taken: its flows are lost unless it
   * comes again and is valid.
   */
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

  /**
   * Returns the position after a message whose flows count as lost though a gap may cover it later.
   */
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

  /** Returns the position with a batch that is no repeat. */
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

  /** Returns the number of missing batches before a batch beyond {@link #next}. */
  long missingBatches(FlowBatch batch) {
    return Math.max(0, batch.sequence() - next);
  }

  /** Returns the number of flows in the missing batches, from the producer's cumulative counts. */
  long missingFlows(FlowBatch batch) {
    long most = missingBatches(batch) * FlowBatch.MAX_ROWS;
    return Math.min(most, Math.max(0, batch.cumulativeFlows() - batch.rows() - flows));
  }

  /** Returns the flows that the producer itself reports as lost since, within possible bounds. */
  long producerLosses(FlowBatch batch) {
    return Math.min(MAX_LOSSES, Math.max(0, batch.cumulativeLosses() - losses));
  }
}
