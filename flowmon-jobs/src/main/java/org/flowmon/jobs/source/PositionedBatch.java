package org.flowmon.jobs.source;

import java.lang.reflect.Type;
import java.util.Map;
import java.util.Optional;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.Heartbeat;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.types.RecordType;

/**
 * A flow batch and where it stands in Kafka. Immutable; the batch's bytes are those that Kafka
 * gave.
 *
 * @param sourceKey {@code <topic id>:<partition>}: names a log for ever, also where a topic is
 *     deleted and made again
 * @param offset of the message in its partition
 * @param lostBefore flows that are known to be lost between the batch before in its producer's
 *     stream and this one, by a gap in the sequence numbers or by the producer's own count; 0 until
 *     {@link SequenceCheckOperator} has set it
 * @param repeat whether this is only the place of a batch that came before, or of a message that is
 *     refused: there are no rows, and it says nothing of its own about arrivals or the input's end
 * @param reached up to which arrival, in microseconds, the message lets time go on: its largest,
 *     but no later than when Kafka says that it was sent, so that no message leads its partition
 *     ahead; {@link Long#MIN_VALUE}: none
 * @param refused the message, where it is none that can be taken
 */
@TypeInfo(PositionedBatch.Factory.class)
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

  /** A batch that came for the first time, and whose arrivals are in the past. */
  public PositionedBatch(String sourceKey, long offset, FlowBatch batch, long lostBefore) {
    this(sourceKey, offset, batch, lostBefore, false, batch.maxArrival(), Optional.empty());
  }

  /** The place of a message that is refused. */
  static PositionedBatch of(Quarantined refused) {
    return new PositionedBatch(
        refused.sourceKey(),
        refused.offset(),
        beat(0, 0, 0, 0, Long.MIN_VALUE),
        0,
        true,
        Long.MIN_VALUE,
        Optional.of(refused));
  }

  private static FlowBatch beat(
      long producer, long sequence, long flows, long losses, long arrival) {
    return FlowBatch.open(Heartbeat.of(producer, sequence, flows, losses, arrival));
  }

  /**
   * When, in microseconds, what is told with it counts as told: its largest arrival, but no later
   * than when it was sent.
   */
  public long told() {
    return reached == Long.MIN_VALUE ? batch.maxArrival() : Math.min(reached, batch.maxArrival());
  }

  /** The same with flows that are known to be lost before it. */
  PositionedBatch withLost(long lost) {
    return new PositionedBatch(sourceKey, offset, batch, lost, repeat, reached, refused);
  }

  /**
   * The place of this batch without its rows, as a heartbeat of its largest arrival: what follows
   * the positions goes on, and no flow counts twice.
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
   * The place of a message that was refused and told of.
   *
   * @param lost flows of it that nobody else counts
   * @param arrival when they are taken to have arrived
   */
  PositionedBatch asPlace(long lost, long arrival) {
    return new PositionedBatch(
        sourceKey,
        offset,
        beat(batch.producerId(), 0, 0, 0, arrival),
        lost,
        true,
        Long.MIN_VALUE,
        Optional.empty());
  }

  /** How Flink finds the type. */
  public static final class Factory extends TypeInfoFactory<PositionedBatch> {
    @Override
    public TypeInformation<PositionedBatch> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
