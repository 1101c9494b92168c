package org.flowmon.jobs.merge;

import java.io.IOException;
import java.util.function.Supplier;
import org.apache.flink.api.common.typeutils.SimpleTypeSerializerSnapshot;
import org.apache.flink.core.memory.DataInputView;
import org.apache.flink.core.memory.DataOutputView;
import org.flowmon.jobs.types.RecordSerializer;

/**
 * A snapshot of a {@link KeyGroupState}, serialized when written: by the thread that writes a
 * checkpoint, if the state backend has one, while the task goes on.
 */
final class KeyGroupSnapshot {
  private static final int MAX_BYTES = Integer.MAX_VALUE - 8;

  private final Supplier<byte[]> bytes;

  /** {@code bytes} serializes a frozen {@link KeyGroupState}, on any thread. */
  KeyGroupSnapshot(Supplier<byte[]> bytes) {
    this.bytes = bytes;
  }

  byte[] bytes() {
    return bytes.get();
  }

  /** Version 1: length i32, bytes of a {@link KeyGroupState}. */
  static final class Serializer extends RecordSerializer<KeyGroupSnapshot> {
    private static final long serialVersionUID = 1L;

    public Serializer() {
      super(1, SerializerSnapshot.class);
    }

    @Override
    protected void write(KeyGroupSnapshot snapshot, DataOutputView target) throws IOException {
      writeBytes(snapshot.bytes(), target);
    }

    @Override
    protected KeyGroupSnapshot read(int found, DataInputView source) throws IOException {
      byte[] bytes = readBytes(source, MAX_BYTES);
      return new KeyGroupSnapshot(() -> bytes);
    }
  }

  /** The serializer's snapshot. */
  public static final class SerializerSnapshot
      extends SimpleTypeSerializerSnapshot<KeyGroupSnapshot> {
    public SerializerSnapshot() {
      super(Serializer::new);
    }
  }
}
