package org.flowmon.jobs.site;

import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.types.RecordSerializer;
import org.flowmon.jobs.types.RecordType;

/**
 * A site's message, unopened: for {@link StatesMessage#open}; read-only. {@code time} is Kafka's,
 * in milliseconds; 0 before.
 */
@TypeInfo(RecordType.Factory.class)
@SuppressWarnings("ArrayRecordComponent") // never compared
public record StatesRecord(long time, byte[] bytes) {
  public static final TypeInformation<StatesRecord> TYPE =
      new RecordType<>(StatesRecord.class, new Serializer());

  /** Version 1: time (8 bytes), length (4 bytes) and the bytes. */
  public static final class Serializer extends RecordSerializer<StatesRecord> {
    private static final long serialVersionUID = 1L;
    private static final int MOST = 1 << 24;

    public Serializer() {
      super(1, Snapshot.class);
    }

    @Override
    protected void write(StatesRecord record, DataOutputView target) throws IOException {
      target.writeLong(record.time());
      writeBytes(record.bytes(), target);
    }

    @Override
    protected StatesRecord read(int found, DataInputView source) throws IOException {
      return new StatesRecord(source.readLong(), readBytes(source, MOST));
    }
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<StatesRecord> {
    public Snapshot() {
      super(Serializer::new);
    }
  }
}
