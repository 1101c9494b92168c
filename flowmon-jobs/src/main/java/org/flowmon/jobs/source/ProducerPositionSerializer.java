package org.flowmon.jobs.source;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * Serializes positions. Version 4: source key (modified UTF-8); seven numbers in the record's order
 * (8 bytes each); batches taken (4; missing before version 3: all producers count as established);
 * flows of refused messages (8; none before version 4). Version 1 had no {@link
 * ProducerPosition#passedOver}: numbers before the window are uncertain.
 */
public final class ProducerPositionSerializer extends RecordSerializer<ProducerPosition> {
  private static final long serialVersionUID = 1L;

  public ProducerPositionSerializer() {
    super(4, Snapshot.class);
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
    target.writeLong(position.passedOver());
    target.writeInt(position.taken());
    target.writeLong(position.told());
  }

  @Override
  protected ProducerPosition read(int found, DataInputView source) throws IOException {
    String sourceKey = source.readUTF();
    long producerId = source.readLong();
    long next = source.readLong();
    return new ProducerPosition(
        sourceKey,
        producerId,
        next,
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        found > 1 ? source.readLong() : next - ProducerPosition.WINDOW,
        found > 2 ? source.readInt() : ProducerPosition.ESTABLISHED,
        found > 3 ? source.readLong() : 0);
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<ProducerPosition> {
    public Snapshot() {
      super(ProducerPositionSerializer::new);
    }
  }
}
