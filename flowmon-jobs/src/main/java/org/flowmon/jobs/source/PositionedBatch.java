package org.flowmon.jobs.source;

import java.util.Optional;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.types.RecordType;

/**
 * A flow batch and its position in Kafka. Immutable; the batch's bytes are Kafka's.
 *
 * @param sourceKey {@code <topic id>:<partition>}: names a log for ever, also if a topic is deleted
 *     and created again
 * @param offset of the message in its partition
 * @param lostBefore known lost flows between the previous batch in its producer's stream and this
 *     one, by a gap in the sequence numbers or by the producer's own count; 0 until {@link
 *     SequenceCheckOperator} has set it
 * @param repeat whether this is only the position of a repeated batch or of a refused message:
 *     there are no rows, and it tells nothing of its own about arrivals or the input's end
 * @param reached the arrival, in microseconds, up to which the message lets time advance: its
 *     largest, but no later than Kafka's time of sending, so that no message leads its partition
 *     ahead; {@link Long#MIN_VALUE}: none
 * @param refused the message, if it was refused
 */
@TypeInfo(RecordType.Factory.class)
public record PositionedBatch(
    String sourceKey,
    long offset,
    FlowBatch batch,
    long lostBefore,
    boolean repeat,
    long reached,
    Optional<Quarantined> refused) {
  public static final TypeInformation<PositionedBatch> TYPE =
      new RecordType<>(PositionedBatch.class, new PositionedBatchSerializer());

  /** Creates a batch that came for the first time, and whose arrivals are in the past. */
  public PositionedBatch(String sourceKey, long offset, FlowBatch batch, long lostBefore) {
    this(sourceKey, offset, batch, lostBefore, false, batch.maxArrival(), Optional.empty());
  }

  /** Creates the position of a refused message. */
  static PositionedBatch of(Quarantined refused) {
    FlowBatch beat = beat(0, 0, 0, 0, Long.MIN_VALUE);
    return new PositionedBatch(
        refused.sourceKey(), refused.offset(), beat, 0, true, Long.MIN_VALUE, Optional.of(refused));
  }

  private static FlowBatch beat(
      long producer, long sequence, long flows, long losses, long arrival) {
    return FlowBatch.open(Heartbeat.of(producer, sequence, flows, losses, arrival));
  }

  /**
   * Returns the time, in microseconds, of the losses it reports: its largest arrival, but no later
   * than when it was sent.
   */
  public long told() {
    return reached == Long.MIN_VALUE ? batch.maxArrival() : Math.min(reached, batch.maxArrival());
  }

  /** Returns this batch with known lost flows before it. */
  PositionedBatch withLost(long lost) {
    return new PositionedBatch(sourceKey, offset, batch, lost, repeat, reached, refused);
  }

  /**
   * Returns the position of this batch without its rows, as a heartbeat of its largest arrival: the
   * sequence of positions goes on, and no flow counts twice.
   */
  public PositionedBatch asRepeat() {
    FlowBatch beat =
        beat(
            batch.producerId(),
            batch.sequence(),
            batch.cumulativeFlows(),
            batch.cumulativeLosses(),
            batch.maxArrival());
    return new PositionedBatch(sourceKey, offset, beat, 0, true, reached, Optional.empty());
  }

  /**
   * Returns the position of a message that was refused and reported.
   *
   * @param lost flows of it that are not counted elsewhere
   * @param arrival their assumed arrival
   */
  PositionedBatch asPlace(long lost, long arrival) {
    FlowBatch beat = beat(batch.producerId(), 0, 0, 0, arrival);
    return new PositionedBatch(
        sourceKey, offset, beat, lost, true, Long.MIN_VALUE, Optional.empty());
  }
}
