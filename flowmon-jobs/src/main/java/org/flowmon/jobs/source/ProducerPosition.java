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
 * @param arrival the largest that the producer has {@linkplain PositionedBatch#reached reached}, in
 *     microseconds: the longest silent producer is forgotten first
 * @param passedOver the number after the largest that fell out of the window and was never seen;
 *     {@link Long#MIN_VALUE} where none was passed over. From here on all before the window was
 *     seen
 * @param taken how many batches were taken, counted up to {@link #ESTABLISHED}
 * @param told flows of refused messages whose numbers lie after the largest seen and that no gap
 *     explains: they count as lost already if one does in the end
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

  /** So many batches show that a producer is none that somebody made up for one message. */
  static final int ESTABLISHED = 8;

  /** Nobody loses more batches in a row but who comes after the topic's retention. */
  static final long MAX_MISSING = 1 << 20;

  // Flows that a producer can lose between two batches, by its own count.
  private static final long MAX_LOSSES = 1L << 32;

  /** The position after the first batch that is seen of a producer. */
  static ProducerPosition first(PositionedBatch record) {
    FlowBatch batch = record.batch();
    // What was before it is not ours to judge: the job may have begun in the middle. All of it
    // counts as seen.
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

  /** Whether a number below {@link #next} was seen for sure: it was taken, or came before all. */
  boolean isSeen(long sequence) {
    return isRepeat(sequence) && (next - 1 - sequence < WINDOW || sequence >= passedOver);
  }

  /** Whether a batch that is no repeat fills a gap that was counted before. */
  boolean fillsGap(long sequence) {
    return sequence < next;
  }

  /** Whether no gap will tell of a batch that cannot be taken: its number is no gap's. */
  boolean isBeyondGaps(FlowBatchHeader header) {
    return header.sequence() - next > MAX_MISSING;
  }

  /** Whether a batch that cannot be taken is by its header the one that follows. */
  boolean isNext(FlowBatchHeader header) {
    return header.sequence() == next && header.cumulativeFlows() == flows + header.rows();
  }

  /** The position after such a batch, whose flows are lost unless it comes again, and is right. */
  ProducerPosition withLost(FlowBatchHeader header) {
    return new ProducerPosition(
        sourceKey,
        producerId,
        next + 1,
        seen << 1,
        header.cumulativeFlows(),
        losses,
        arrival,
        passedOverAfter(1),
        taken,
        told);
  }

  /** The position after a message whose flows count as lost though it may be in a gap one day. */
  ProducerPosition withTold(long flows) {
    return new ProducerPosition(
        sourceKey,
        producerId,
        next,
        seen,
        this.flows,
        losses,
        arrival,
        passedOver,
        taken,
        told + flows);
  }

  /** What two positions of the same stream know together: a smaller one is stale. */
  ProducerPosition joined(ProducerPosition other) {
    if (next != other.next) {
      return next > other.next ? this : other;
    }
    return new ProducerPosition(
        sourceKey,
        producerId,
        next,
        seen | other.seen,
        flows,
        losses,
        Math.max(arrival, other.arrival),
        passedOver,
        Math.max(taken, other.taken),
        Math.max(told, other.told));
  }

  /** The position with a batch that is no repeat. */
  ProducerPosition with(PositionedBatch record) {
    FlowBatch batch = record.batch();
    int more = Math.min(taken + 1, ESTABLISHED);
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
          passedOver,
          more,
          told);
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
        Math.max(arrival, record.reached()),
        passedOverAfter(step),
        more,
        0);
  }

  private long passedOverAfter(long step) {
    if (step > WINDOW) {
      return next + step - WINDOW; // what never was in the window was not seen
    }
    long leaving = ~seen & -1L << (WINDOW - step);
    return leaving == 0 ? passedOver : next - Long.numberOfTrailingZeros(leaving);
  }

  boolean isEstablished() {
    return taken >= ESTABLISHED;
  }

  /** Batches that are missing before a batch beyond {@link #next}. */
  long missingBatches(FlowBatch batch) {
    return Math.max(0, batch.sequence() - next);
  }

  /** Flows in the missing batches, from the producer's cumulative counts: as many as they hold. */
  long missingFlows(FlowBatch batch) {
    long most = missingBatches(batch) * FlowBatch.MAX_ROWS;
    return Math.min(most, Math.max(0, batch.cumulativeFlows() - batch.rows() - flows));
  }

  /** Flows that the producer itself says it lost since, as far as that can be. */
  long producerLosses(FlowBatch batch) {
    return Math.min(MAX_LOSSES, Math.max(0, batch.cumulativeLosses() - losses));
  }
}
