package org.flowmon.jobs.source;

import java.lang.reflect.Type;
import java.util.Map;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInfoFactory;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.flowmon.flow.FlowBatch;
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
 */
@TypeInfo(PositionedBatch.Factory.class)
public record PositionedBatch(String sourceKey, long offset, FlowBatch batch, long lostBefore) {
  public static final TypeInformation<PositionedBatch> TYPE =
      new RecordType<>(PositionedBatch.class, new PositionedBatchSerializer());

  /** How Flink finds the type. */
  public static final class Factory extends TypeInfoFactory<PositionedBatch> {
    @Override
    public TypeInformation<PositionedBatch> createTypeInfo(
        Type type, Map<String, TypeInformation<?>> parameters) {
      return TYPE;
    }
  }
}
