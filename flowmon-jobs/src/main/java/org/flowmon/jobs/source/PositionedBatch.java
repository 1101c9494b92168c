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
 * @param lostBefore known lost flows since the previous batch of its producer's stream, by a gap in
 *     the numbers or the producer's count; 0 until {@link SequenceCheckOperator} sets it
 * @param repeat only the position of a repeated batch or refused message: no rows, and nothing of
 *     its own about arrivals or the input's end
 * @param reached the arrival, in microseconds, up to which time advances: the largest, but no later
 *     than Kafka's time of sending, so that none leads its partition ahead; {@link Long#MIN_VALUE}:
 *     none
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

  /** Came for the first time; its arrivals are in the past. */
  public PositionedBatch(String sourceKey, long offset, FlowBatch batch, long lostBefore) {
    this(sourceKey, offset, batch, lostBefore, false, batch.maxArrival(), Optional.empty());
  }

  static PositionedBatch of(Quarantined refused) {
    FlowBatch beat = beat(0, 0, 0, 0, Long.MIN_VALUE);
    return new PositionedBatch(
        refused.sourceKey(), refused.offset(), beat, 0, true, Long.MIN_VALUE, Optional.of(refused));
  }

  private static FlowBatch beat(
      long producer, long sequence, long flows, long losses, long arrival) {
    return FlowBatch.open(Heartbeat.of(producer, sequence, flows, losses, arrival));
  }

  /** The time, in µs, of its losses: the largest arrival, but no later than when it was sent. */
  public long told() {
    return reached == Long.MIN_VALUE ? batch.maxArrival() : Math.min(reached, batch.maxArrival());
  }

  PositionedBatch withLost(long lost) {
    return new PositionedBatch(sourceKey, offset, batch, lost, repeat, reached, refused);
  }

  /** Without rows, a heartbeat of its largest arrival: positions go on, no flow counts twice. */
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

  /** A refused, reported message: {@code lost} flows not counted elsewhere, assumed arrival. */
  PositionedBatch asPlace(long lost, long arrival) {
    FlowBatch beat = beat(batch.producerId(), 0, 0, 0, arrival);
    return new PositionedBatch(
        sourceKey, offset, beat, lost, true, Long.MIN_VALUE, Optional.empty());
  }
}
