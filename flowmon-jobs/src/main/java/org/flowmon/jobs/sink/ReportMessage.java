package org.flowmon.jobs.sink;

import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.types.RecordSerializer;
import org.flowmon.jobs.types.RecordType;

/** A Kafka message: a report's row as UTF-8 JSON, or that it has none. Arrays are read-only. */
@TypeInfo(RecordType.Factory.class)
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ReportMessage(String topic, byte[] key, byte[] value) {
  public static final TypeInformation<ReportMessage> TYPE =
      new RecordType<>(ReportMessage.class, new Serializer());

  /** Version 1: topic (modified UTF-8), key and value (4 bytes of length and the bytes each). */
  public static final class Serializer extends RecordSerializer<ReportMessage> {
    private static final long serialVersionUID = 1L;
    private static final int MAX_BYTES = 1 << 24;

    public Serializer() {
      super(1, Snapshot.class);
    }

    @Override
    protected void write(ReportMessage record, DataOutputView target) throws IOException {
      target.writeUTF(record.topic());
      writeBytes(record.key(), target);
      writeBytes(record.value(), target);
    }

    @Override
    protected ReportMessage read(int found, DataInputView source) throws IOException {
      return new ReportMessage(
          source.readUTF(), readBytes(source, MAX_BYTES), readBytes(source, MAX_BYTES));
    }
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<ReportMessage> {
    public Snapshot() {
      super(Serializer::new);
    }
  }
}
