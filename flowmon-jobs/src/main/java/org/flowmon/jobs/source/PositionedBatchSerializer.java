package org.flowmon.jobs.source;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.flow.FlowBatch;
import org.flowmon.flow.FlowFormatException;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * Version 2: source key (modified UTF-8), offset and lost flows (8 bytes each), whether it is a
 * repeat (1 byte; not in version 1, which knew none), length (4 bytes), the batch's bytes.
 */
public final class PositionedBatchSerializer extends RecordSerializer<PositionedBatch> {
  private static final long serialVersionUID = 1L;

  public PositionedBatchSerializer() {
    super(2);
  }

  @Override
  protected void write(PositionedBatch record, DataOutputView target) throws IOException {
    target.writeUTF(record.sourceKey());
    target.writeLong(record.offset());
    target.writeLong(record.lostBefore());
    target.writeBoolean(record.repeat());
    writeBytes(record.batch().bytes(), target);
  }

  @Override
  protected PositionedBatch read(int found, DataInputView source) throws IOException {
    String sourceKey = source.readUTF();
    long offset = source.readLong();
    long lostBefore = source.readLong();
    boolean repeat = found > 1 && source.readBoolean();
    try {
      return new PositionedBatch(
          sourceKey,
          offset,
          FlowBatch.open(readBytes(source, FlowBatch.MAX_BYTES)),
          lostBefore,
          repeat);
    } catch (FlowFormatException e) {
      throw new IOException("batch at " + sourceKey + "@" + offset + ": " + e.getMessage(), e);
    }
  }

  @Override
  public TypeSerializerSnapshot<PositionedBatch> snapshotConfiguration() {
    return new Snapshot();
  }

  /** How Flink finds the serializer again. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<PositionedBatch> {
    public Snapshot() {
      super(PositionedBatchSerializer::new);
    }
  }
}
