package org.flowmon.jobs.alert;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.api.common.typeutils.TypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.alert.Alert.Cause;
import org.flowmon.jobs.alert.Alert.State;
import org.flowmon.jobs.analysis.AlertConfig.Severity;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * Serializes alerts. Version 1: id (modified UTF-8), number (8 bytes), state and cause (their
 * codes, 1 byte each); analysis, rule, severity in lower case (modified UTF-8); key (4 bytes of
 * length and UTF-8); since, window's start and end, last held (8 bytes each); revision, rows (4
 * each); 0 or 1 and the columns (4 bytes of length and UTF-8); number of sinks (2 bytes) and their
 * names (modified UTF-8).
 */
public final class AlertSerializer extends RecordSerializer<Alert> {
  private static final long serialVersionUID = 1L;

  public AlertSerializer() {
    super(1);
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
    LongText.write(alert.key(), target);
    target.writeLong(alert.since());
    target.writeLong(alert.windowStart());
    target.writeLong(alert.windowEnd());
    target.writeLong(alert.lastHeld());
    target.writeInt(alert.revision());
    target.writeInt(alert.rows());
    LongText.writeOrNull(alert.columns(), target);
    AlertRule.writeNames(alert.sinks(), target);
  }

  @Override
  protected Alert read(int found, DataInputView source) throws IOException {
    return new Alert(
        source.readUTF(),
        source.readLong(),
        state(source.readUnsignedByte()),
        cause(source.readUnsignedByte()),
        source.readUTF(),
        source.readUTF(),
        severity(source.readUTF()),
        LongText.read(source),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readLong(),
        source.readInt(),
        source.readInt(),
        LongText.readOrNull(source),
        AlertRule.readNames(source));
  }

  private static State state(int code) throws IOException {
    for (State state : State.values()) {
      if (state.code() == code) {
        return state;
      }
    }
    throw new IOException("an alert with the unknown state " + code);
  }

  private static Cause cause(int code) throws IOException {
    for (Cause cause : Cause.values()) {
      if (cause.code() == code) {
        return cause;
      }
    }
    throw new IOException("an alert with the unknown cause " + code);
  }

  static Severity severity(String name) throws IOException {
    for (Severity severity : Severity.values()) {
      if (severity.name().equals(name)) {
        return severity;
      }
    }
    throw new IOException("an alert with the unknown severity " + name);
  }

  @Override
  public TypeSerializerSnapshot<Alert> snapshotConfiguration() {
    return new Snapshot();
  }

  /** The serializer's snapshot. */
  public static final class Snapshot extends SimpleTypeSerializerSnapshot<Alert> {
    public Snapshot() {
      super(AlertSerializer::new);
    }
  }

  /** Texts that may exceed the 64 KiB of modified UTF-8. */
  static final class LongText {
    private static final int MAX_BYTES = 1 << 24;

    private LongText() {}

    static void write(String text, DataOutputView target) throws IOException {
      writeBytes(text.getBytes(StandardCharsets.UTF_8), target);
    }

    static String read(DataInputView source) throws IOException {
      return new String(readBytes(source, MAX_BYTES), StandardCharsets.UTF_8);
    }

    static void writeOrNull(String text, DataOutputView target) throws IOException {
      target.writeBoolean(text != null);
      if (text != null) {
        write(text, target);
      }
    }

    static String readOrNull(DataInputView source) throws IOException {
      return source.readBoolean() ? read(source) : null;
    }
  }
}
