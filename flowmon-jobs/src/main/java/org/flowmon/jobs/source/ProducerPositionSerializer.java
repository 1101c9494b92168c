package org.flowmon.jobs.source;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * Version 1: source key (modified UTF-8), then the six numbers in the record's order, 8 bytes each.
 */
public final class ProducerPositionSerializer extends RecordSerializer<ProducerPosition> {
  private static final long serialVersionUID = 1L;

  public ProducerPositionSerializer() {
    super(1);
  }

  @Override
  protected void write(ProducerPosition position, DataOutputView target) throws IOException {
    target.writeUTF(position.sourceKey());
    target.writeLong(position.producerId());
    target.writeLong(position.next());
    target.writeLong(position.seen());
    target.writeLong(position.flows());
    target.writeLong(position.losses());
    target.writeLong(position.arrival());
  }

  @Override
  protected ProducerPosition read(int found, DataInputView source) throws IOException {
    return new ProducerPosition(
        source.readUTF(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong());
  }

  @Override
  public TypeSerializerSnapshot<ProducerPosition> snapshotConfiguration() {
    return new Snapshot();
  }

  /** How Flink finds the serializer again. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<ProducerPosition> {
    public Snapshot() {
      super(ProducerPositionSerializer::new);
    }
  }
}
