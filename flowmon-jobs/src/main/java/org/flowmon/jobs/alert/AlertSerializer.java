package org.flowmon.jobs.alert;

import java.io.IOException;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.alert.Alert.Cause;
import org.flowmon.jobs.alert.Alert.State;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * Serializes alerts. Version 1: id (modified UTF-8), number (8 bytes), state and cause (their
 * codes, 1 byte each); analysis, rule, severity in upper case (modified UTF-8); key (4 bytes of
 * length and UTF-8); since, window's start and end, last held (8 each); revision, rows (4 each); 0
 * or 1 and the columns (as key); number of sinks (2) and their names (modified UTF-8).
 */
public final class AlertSerializer extends RecordSerializer<Alert> {
  private static final long serialVersionUID = 1L;

  public AlertSerializer() {
    super(1, Snapshot.class);
  }

  @Override
  protected void write(Alert alert, DataOutputView target) throws IOException {
    target.writeUTF(alert.id());
    target.writeLong(alert.number());
    target.writeByte(alert.state().code());
    target.writeByte(alert.cause().code());
    target.writeUTF(alert.analysis());
    target.writeUTF(alert.rule());
    target.writeUTF(alert.severity().name());
    writeString(alert.key(), target);
    target.writeLong(alert.since());
    target.writeLong(alert.windowStart());
    target.writeLong(alert.windowEnd());
    target.writeLong(alert.lastHeld());
    target.writeInt(alert.revision());
    target.writeInt(alert.rows());
    writeText(alert.columns(), target);
    AlertRule.writeNames(alert.sinks(), target);
  }

  @Override
  protected Alert read(int found, DataInputView source) throws IOException {
    return new Alert(
        source.readUTF(),
        source.readLong(),
        State.ofCode(source.readUnsignedByte()),
        Cause.ofCode(source.readUnsignedByte()),
        source.readUTF(),
        source.readUTF(),
        Alert.severity(source.readUTF()),
        readString(source),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readInt(),
        source.readInt(),
        readText(source),
        AlertRule.readNames(source));
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Alert> {
    public Snapshot() {
      super(AlertSerializer::new);
    }
  }
}
