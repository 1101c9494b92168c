package org.flowmon.jobs.source;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowBatchBuilder;
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
 * @param repeat whether this is only the place of a batch that came before: its rows are taken out,
 *     and it says nothing of its own about arrivals or the input's end
 */
@TypeInfo(PositionedBatch.Factory.class)
public record PositionedBatch(
    String sourceKey, long offset, FlowBatch batch, long lostBefore, boolean repeat) {
  public static final TypeInformation<PositionedBatch> TYPE =
      new RecordType<>(PositionedBatch.class, new PositionedBatchSerializer());

  /** A batch that came for the first time. */
  public PositionedBatch(String sourceKey, long offset, FlowBatch batch, long lostBefore) {
    this(sourceKey, offset, batch, lostBefore, false);
  }

  /**
   * The place of this batch without its rows, as a heartbeat of its largest arrival: what follows
   * the positions goes on, and no flow counts twice.
   */
  public PositionedBatch asRepeat() {
    byte[] beat =
        FlowBatchBuilder.heartbeat(
            batch.producerId(),
            batch.sequence(),
            batch.cumulativeFlows(),
            batch.cumulativeLosses(),
            batch.maxArrival());
    return new PositionedBatch(sourceKey, offset, FlowBatch.open(beat), 0, true);
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
