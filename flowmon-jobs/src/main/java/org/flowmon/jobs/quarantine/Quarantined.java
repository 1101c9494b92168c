package org.flowmon.jobs.quarantine;

import java.io.IOException;
import java.util.Arrays;
import org.apache.flink.api.common.typeinfo.TypeInfo;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.apache.flink.util.OutputTag;
import org.flowmon.flow.FlowBatchHeader;
import org.flowmon.jobs.types.RecordSerializer;
import org.flowmon.jobs.types.RecordType;

/**
 * A message of the topic of flows that the job leaves out. Its offset counts as read: it neither
 * stops the job nor comes again.
 *
 * @param sourceKey {@code <topic id>:<partition>}
 * @param where the operator that refused it
 * @param reason for people, at most {@link #MAX_REASON} characters
 * @param flows number in its header; 0 without a readable header
 * @param length of the message in bytes
 * @param bytes its first {@link #MAX_BYTES}; read-only
 */
@TypeInfo(RecordType.Factory.class)
@SuppressWarnings("ArrayRecordComponent") // never compared
public record Quarantined(
    String sourceKey,
    long offset,
    String where,
    String reason,
    long flows,
    int length,
    byte[] bytes) {
  public static final TypeInformation<Quarantined> TYPE =
      new RecordType<>(Quarantined.class, new Serializer());

  public static final OutputTag<Quarantined> TAG = new OutputTag<>("quarantined", TYPE);

  /** The most bytes kept of a message: every topic accepts them by Kafka's defaults. */
  public static final int MAX_BYTES = 512 << 10;

  public static final int MAX_REASON = 1000;

  public static Quarantined of(
      String sourceKey, long offset, String where, String reason, byte[] message) {
    return new Quarantined(
        sourceKey,
        offset,
        where,
        reason.length() > MAX_REASON ? reason.substring(0, MAX_REASON) : reason,
        FlowBatchHeader.read(message).map(FlowBatchHeader::rows).orElse(0),
        message.length,
        message.length > MAX_BYTES ? Arrays.copyOf(message, MAX_BYTES) : message);
  }

  /** {@code <topic id>:<partition>@<offset>}: the same for a message that is reported twice. */
  public String position() {
    return sourceKey + "@" + offset;
  }

  /**
   * Version 1: source key (modified UTF-8), offset (8 bytes), {@code where}, {@code reason} (as
   * key), flows (8), length (4), length of the bytes (4), the bytes.
   */
  public static final class Serializer extends RecordSerializer<Quarantined> {
    private static final long serialVersionUID = 1L;

    public Serializer() {
      super(1, Snapshot.class);
    }

    @Override
    protected void write(Quarantined record, DataOutputView target) throws IOException {
      target.writeUTF(record.sourceKey());
      target.writeLong(record.offset());
      target.writeUTF(record.where());
      target.writeUTF(record.reason());
      target.writeLong(record.flows());
      target.writeInt(record.length());
      writeBytes(record.bytes(), target);
    }

    @Override
    protected Quarantined read(int found, DataInputView source) throws IOException {
      return new Quarantined(
          source.readUTF(),
          source.readLong(),
          source.readUTF(),
          source.readUTF(),
          source.readLong(),
          source.readInt(),
          readBytes(source, MAX_BYTES));
    }
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Quarantined> {
    public Snapshot() {
      super(Serializer::new);
    }
  }
}
