package org.flowmon.jobs.source;

import java.io.IOException;
import java.util.Optional;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.jobs.quarantine.Quarantined;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * Serializes batches. Version 3: source key (modified UTF-8); offset, lost flows (8 bytes each);
 * whether a repeat (1; not in version 1, which had none). From version 3 on: the arrival up to
 * which time advances (8), whether refused (1), if so the message by its own serializer. Then
 * length (4) and the batch's bytes.
 */
public final class PositionedBatchSerializer extends RecordSerializer<PositionedBatch> {
  private static final long serialVersionUID = 1L;
  private static final Quarantined.Serializer REFUSED = new Quarantined.Serializer();

  public PositionedBatchSerializer() {
    super(3, Snapshot.class);
  }

  @Override
  protected void write(PositionedBatch record, DataOutputView target) throws IOException {
    target.writeUTF(record.sourceKey());
    target.writeLong(record.offset());
    target.writeLong(record.lostBefore());
    target.writeBoolean(record.repeat());
    target.writeLong(record.reached());
    target.writeBoolean(record.refused().isPresent());
    if (record.refused().isPresent()) {
      REFUSED.serialize(record.refused().get(), target);
    }
    writeBytes(record.batch().bytes(), target);
  }

  @Override
  protected PositionedBatch read(int found, DataInputView source) throws IOException {
    String sourceKey = source.readUTF();
    long offset = source.readLong();
    long lostBefore = source.readLong();
    boolean repeat = found > 1 && source.readBoolean();
    long reached = found > 2 ? source.readLong() : Long.MIN_VALUE;
    Optional<Quarantined> refused =
        found > 2 && source.readBoolean()
            ? Optional.of(REFUSED.deserialize(source))
            : Optional.empty();
    try {
      FlowBatch batch = FlowBatch.open(readBytes(source, FlowBatch.MAX_BYTES));
      return new PositionedBatch(
          sourceKey,
          offset,
          batch,
          lostBefore,
          repeat,
          found > 2 ? reached : batch.maxArrival(),
          refused);
    } catch (FlowFormatException e) {
      throw new IOException("batch at " + sourceKey + "@" + offset + ": " + e.getMessage(), e);
    }
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<PositionedBatch> {
    public Snapshot() {
      super(PositionedBatchSerializer::new);
    }
  }
}
